import { domainToASCII, domainToUnicode } from "node:url";
import { z } from "zod";
import { normalizeOrKeep } from "../../normalize-text.ts";

const localPart = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const asciiDomain =
  /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** Excludes the characters that the URL parser would decode or treat as the end of the domain. */
const writtenDomain = /^[\p{L}\p{N}\p{M}.-]+$/u;

/**
 * [TRUST 30] Returns the one spelling of an address: the domain in lower case and in ASCII. A recipient is an address
 * only, because a display name can claim to be someone else. Throws if the text is not such an address.
 */
export function canonicalAddress(text: string): string {
  const written = text.trim();
  const at = written.lastIndexOf("@");
  const local = written.slice(0, at);
  const domain = written.slice(at + 1).normalize("NFC");
  const ascii = writtenDomain.test(domain) ? domainToASCII(domain) : "";
  if (at < 1 || local.length > 64 || !localPart.test(local) || !asciiDomain.test(ascii))
    throw new TypeError("not an address");
  return `${local}@${ascii}`;
}

export function isCanonicalAddress(text: string): boolean {
  try {
    return canonicalAddress(text) === text;
  } catch {
    return false;
  }
}

/** The schema of a recipient. */
export const addressInput = z
  .string()
  .max(320)
  .overwrite(normalizeOrKeep(canonicalAddress))
  .refine(isCanonicalAddress, "must be an address such as `ana@example.org`, without a name")
  .describe("an address such as `ana@example.org`, without a name");

export function getDomain(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1);
}

/** Returns the domain as people would see it, if it contains characters other than ASCII. */
export function findUnicodeDomain(address: string): string | undefined {
  const domain = getDomain(address);
  const shown = domainToUnicode(domain);
  return shown === domain || shown === "" ? undefined : shown;
}

/** The recipients of a message. */
export interface Recipients {
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly bcc: readonly string[];
}

/** Removes repeated recipients. The first of `to`, `cc` and `bcc` that names a recipient keeps it. */
export function removeDuplicates({ to, cc, bcc }: Recipients): Recipients {
  const known = new Set<string>();
  const fresh = (address: string) => {
    const key = address.toLowerCase();
    if (known.has(key)) return false;
    known.add(key);
    return true;
  };
  return { to: to.filter(fresh), cc: cc.filter(fresh), bcc: bcc.filter(fresh) };
}

export function listRecipients({ to, cc, bcc }: Recipients): readonly string[] {
  return [...to, ...cc, ...bcc];
}
