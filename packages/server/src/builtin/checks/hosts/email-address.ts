export interface EmailAddress {
  readonly local: string;
  readonly domain: string;
}

const maxLocalLength = 128;
const maxDomainLength = 300;
/** No host reads like this. */
const unreadableDomain = "?.?";

/** Signs that end the part before an `@`. */
const localTerminators = new Set(" \t\r\n\u00a0\u2028\u2029<>()[],;:\"'`|\\=?&/");
/** Letters of any script, digits, dots of any script, hyphens, and characters that cannot be seen. */
const domainCharacter = /[\p{L}\p{N}\p{M}\p{DI}.。．｡_-]/u;

/** E-mail addresses anywhere in a text, also those written with other signs for `@`. One pass, bounded around each `@`. */
export function* findAddresses(written: string): Generator<EmailAddress> {
  const text = normalizeAtSigns(written);
  for (let at = text.indexOf("@"); at !== -1; at = text.indexOf("@", at + 1)) {
    const address = readAddress(text, at);
    if (address) yield address;
  }
}

/** Full-width and small signs by NFKC, then URL and HTML escapes: a mailer may undo them. */
function normalizeAtSigns(written: string): string {
  const text = /[^\0-\x7f]/.test(written) ? written.toWellFormed().normalize("NFKC") : written;
  return text.replaceAll(/%40|&#0{0,4}64;|&#x0{0,4}40;|&commat;/gi, "@");
}

function readAddress(text: string, at: number): EmailAddress | undefined {
  const domain = readDomain(text, at);
  if (domain === "") return undefined;
  const isLiteral = domain.startsWith("[");
  const labels = domain.replace(/\.+$/, "").split(".");
  const isNumber = /^\d+$/.test(labels.at(-1) ?? "");
  // `package@1.2.3` is a version; four numbers are a network address.
  if (isNumber && labels.length !== 4) return undefined;
  if (labels.length === 1 && !isLiteral && text.length > maxLocalLength + maxDomainLength) return undefined;
  const local = readLocalPart(text, at);
  if (local === "") return undefined;
  // `package@latest` in prose is no recipient; a field that holds nothing else may well be one.
  const isRecipient = labels.length > 1 || isLiteral || text.trim() === `${local}@${domain}`;
  return isRecipient ? { local, domain: domain.replace(/[.-]+$/, "") } : undefined;
}

function readLocalPart(text: string, at: number): string {
  if (text[at - 1] === '"') return readQuotedLocalPart(text, at - 1);
  let start = at;
  while (start > 0 && at - start < maxLocalLength && !localTerminators.has(text[start - 1]!)) start -= 1;
  // Another `@` further left has its own turn; what stands between the two is still this one's local part.
  return text.slice(start, at);
}

/** `"anything at all"@example.com` is a valid address too. */
function readQuotedLocalPart(text: string, closing: number): string {
  const reach = text.slice(Math.max(0, closing - maxLocalLength), closing);
  return reach.slice(reach.lastIndexOf('"') + 1) || "?";
}

function readDomain(text: string, at: number): string {
  const reach = text.slice(at + 1, at + 1 + maxDomainLength);
  if (reach.startsWith("[")) return reach.slice(0, reach.indexOf("]") + 1);
  let length = 0;
  for (const letter of reach) {
    if (!domainCharacter.test(letter)) break;
    length += letter.length;
  }
  // Longer than any host can be: cut off, it could pass for an allowed one.
  return length === maxDomainLength ? unreadableDomain : reach.slice(0, length).replace(/^[.-]+/, "");
}
