import { removeEnd } from "./hostname.ts";

export interface EmailAddress {
  readonly local: string;
  readonly domain: string;
}

const maxLocalLength = 128;
const maxDomainLength = 300;
/** The placeholder for a domain that cannot be read. It is never a valid host. */
const unreadableDomain = "?.?";

/** The characters at which the local part of an address ends. The local part is the part before the `@`. */
const localTerminators = new Set(" \t\r\n\u00a0\u2028\u2029<>()[],;:\"'`|\\=?&/");
/**
 * Matches one character of a domain: a letter, mark, digit or dot of any script, a hyphen, an underscore, or an
 * invisible character.
 */
const domainCharacter = /[\p{L}\p{N}\p{M}\p{DI}.。．｡_-]/u;

/**
 * Finds e-mail addresses anywhere in a text, including those with variants of `@`. The function reads the text once,
 * with a bounded search around each `@`.
 */
export function* findAddresses(written: string): Generator<EmailAddress> {
  const text = normalizeAtSigns(written);
  for (let at = text.indexOf("@"); at !== -1; at = text.indexOf("@", at + 1)) {
    const address = readAddress(text, at);
    if (address) yield address;
  }
}

/**
 * Replaces variants of `@`, because a mail program may decode them. NFKC replaces full-width and small signs. A pattern
 * then replaces URL and HTML escapes.
 */
function normalizeAtSigns(written: string): string {
  const text = /[^\0-\x7f]/.test(written) ? written.toWellFormed().normalize("NFKC") : written;
  return text.replaceAll(/%40|&#0{0,4}64;|&#x0{0,4}40;|&commat;/gi, "@");
}

function readAddress(text: string, at: number): EmailAddress | undefined {
  const domain = readDomain(text, at);
  if (domain === "") return undefined;
  const isLiteral = domain.startsWith("[");
  const labels = removeEnd(domain, ".").split(".");
  const isNumber = /^\d+$/.test(labels.at(-1) ?? "");
  // Skips versions such as `package@1.2.3`. Four numbers after the `@` are a network address, so they are not skipped.
  if (isNumber && labels.length !== 4) return undefined;
  if (labels.length === 1 && !isLiteral && text.length > maxLocalLength + maxDomainLength) return undefined;
  const local = readLocalPart(text, at);
  if (local === "") return undefined;
  // In prose, an address whose domain has no dot, such as `package@latest`, is not a recipient. If the address is the
  // whole field, it may be a recipient.
  const isRecipient = labels.length > 1 || isLiteral || text.trim() === `${local}@${domain}`;
  return isRecipient ? { local, domain: removeEnd(domain, ".-") } : undefined;
}

function readLocalPart(text: string, at: number): string {
  if (text[at - 1] === '"') return readQuotedLocalPart(text, at - 1);
  let start = at;
  while (start > 0 && at - start < maxLocalLength && !localTerminators.has(text[start - 1]!)) start -= 1;
  // If another `@` stands further left, `findAddresses` handles that sign separately. The text between the two signs
  // still belongs to this local part.
  return text.slice(start, at);
}

/** Reads a quoted local part. For example, `"anything at all"@example.com` is a valid address. */
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
  // A domain of this length is longer than any valid host. The function does not return it truncated, because a
  // truncated domain could look like an allowed host.
  return length === maxDomainLength ? unreadableDomain : reach.slice(0, length).replace(/^[.-]+/, "");
}
