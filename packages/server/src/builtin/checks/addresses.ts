export interface Address {
  readonly local: string;
  readonly domain: string;
}

const longestLocal = 128;
const longestDomain = 300;
/** No host reads like this. */
const tooLong = "?.?";

/** Signs that end the part before an `@`. */
const endsLocal = new Set(" \t\r\n\u00a0\u2028\u2029<>()[],;:\"'`|\\=?&/");
/** Letters of any script, digits, dots of any script, hyphens, and characters that cannot be seen. */
const inDomain = /[\p{L}\p{N}\p{M}\p{DI}.。．｡_-]/u;

/** E-mail addresses anywhere in a text, also those written with other signs for `@`. One pass, bounded around each `@`. */
export function* addressesIn(written: string): Generator<Address> {
  const text = withPlainAts(written);
  for (let at = text.indexOf("@"); at !== -1; at = text.indexOf("@", at + 1)) {
    const address = addressAround(text, at);
    if (address) yield address;
  }
}

/** Full-width and small signs by NFKC, then URL and HTML escapes: a mailer may undo them. */
function withPlainAts(written: string): string {
  const text = /[^\0-\x7f]/.test(written) ? written.toWellFormed().normalize("NFKC") : written;
  return text.replaceAll(/%40|&#0{0,4}64;|&#x0{0,4}40;|&commat;/gi, "@");
}

function addressAround(text: string, at: number): Address | undefined {
  const domain = domainAfter(text, at);
  if (domain === "") return undefined;
  const isLiteral = domain.startsWith("[");
  const labels = domain.replace(/\.+$/, "").split(".");
  const isNumber = /^\d+$/.test(labels.at(-1) ?? "");
  // `package@1.2.3` is a version; four numbers are a network address.
  if (isNumber && labels.length !== 4) return undefined;
  if (labels.length === 1 && !isLiteral && text.length > longestLocal + longestDomain) return undefined;
  const local = localBefore(text, at);
  if (local === "") return undefined;
  // `package@latest` in prose is no recipient; a field that holds nothing else may well be one.
  const isRecipient = labels.length > 1 || isLiteral || text.trim() === `${local}@${domain}`;
  return isRecipient ? { local, domain: domain.replace(/[.-]+$/, "") } : undefined;
}

function localBefore(text: string, at: number): string {
  if (text[at - 1] === '"') return quotedBefore(text, at - 1);
  let start = at;
  while (start > 0 && at - start < longestLocal && !endsLocal.has(text[start - 1]!)) start -= 1;
  // Another `@` further left has its own turn; what stands between the two is still this one's local part.
  return text.slice(start, at);
}

/** `"anything at all"@example.com` is a valid address too. */
function quotedBefore(text: string, closing: number): string {
  const reach = text.slice(Math.max(0, closing - longestLocal), closing);
  return reach.slice(reach.lastIndexOf('"') + 1) || "?";
}

function domainAfter(text: string, at: number): string {
  const reach = text.slice(at + 1, at + 1 + longestDomain);
  if (reach.startsWith("[")) return reach.slice(0, reach.indexOf("]") + 1);
  let length = 0;
  for (const letter of reach) {
    if (!inDomain.test(letter)) break;
    length += letter.length;
  }
  // Longer than any host can be: cut off, it could pass for an allowed one.
  return length === longestDomain ? tooLong : reach.slice(0, length).replace(/^[.-]+/, "");
}
