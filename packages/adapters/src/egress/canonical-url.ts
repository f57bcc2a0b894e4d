/** A canonical URL, or the reason why a spelling is refused. */
export type CanonicalUrl =
  | { readonly kind: "canonical"; readonly url: URL }
  | { readonly kind: "refused"; readonly why: string };

/**
 * [TRUST 30] Returns the canonical spelling of a URL. Policy, grants and people see this spelling, and Paraph sends it.
 * Paraph refuses a spelling if the parser would change its path. Such a spelling may be meant to mislead a reader that
 * does not parse the URL.
 */
export function toCanonicalUrl(raw: string): CanonicalUrl {
  const [, written] = /^https?:\/\/[^/?#]+([^?#]*)/i.exec(raw) ?? [];
  // Refuses tabs, line ends and backslashes, because the parser would drop tabs and line ends and read a backslash as a
  // slash.
  if (written === undefined || /[\p{Cc}\s\\]/u.test(raw) || !raw.isWellFormed() || !URL.canParse(raw))
    return refuseUrl(
      "a complete URL such as `https://api.example.com/orders`, without spaces or backslashes",
    );
  const parsed = new URL(raw);
  if (/^[^/]*\/\/[^/?#]*@/.test(raw)) return refuseUrl("a URL without a user name");
  if (raw.includes("#")) return refuseUrl("a URL without a fragment (`#…`), which is never sent");
  const why = findPathFault(written);
  if (why !== undefined) return refuseUrl(why);
  const search = parsed.search === "?" ? "" : parsed.search;
  const url = new URL(parsed.origin + normalizeEncoding(parsed.pathname) + normalizeEncoding(search));
  return { kind: "canonical", url };
}

function findPathFault(path: string): string | undefined {
  const [, ...segments] = path.split("/");
  if (segments.slice(0, -1).includes("")) return "a URL without two slashes in a row in its path";
  if (/%(?![0-9a-f]{2})/i.test(path)) return "a URL whose path has `%` only before two hexadecimal digits";
  if (segments.some(isUnsafePathSegment))
    return "a URL without `.`, `..` or control characters in its path, encoded or not";
  return undefined;
}

/**
 * [TRUST 18] Whether a path segment, in any decoded form, contains a step to another folder. Some proxies decode more
 * than once, so the check decodes until nothing changes. [TRUST 24] A segment that is encoded too often is unsafe,
 * because each decoding can remove as little as one encoding of a long segment.
 */
export function isUnsafePathSegment(segment: string): boolean {
  let decoded = segment;
  for (let decodings = 0; decodings <= maxDecodings; decodings++) {
    const steps = decoded.split(/[/\\]/);
    if (steps.some((step) => /^\.{1,2}(;.*)?$/.test(step)) || /\p{Cc}/u.test(decoded)) return true;
    const once = decodePercent(decoded);
    if (once === decoded) return false;
    decoded = once;
  }
  return true;
}

/** The maximum number of decodings. Real segments need at most three. */
const maxDecodings = 10;

function decodePercent(text: string): string {
  return text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/**
 * Normalizes according to RFC 3986, 6.2.2: `A-Za-z0-9-._~` are never encoded, and hexadecimal digits are upper case.
 */
function normalizeEncoding(text: string): string {
  return text.replaceAll(/%[0-9a-f]{2}/gi, (encoded) => {
    const plain = decodePercent(encoded);
    return /[A-Za-z0-9\-._~]/.test(plain) ? plain : encoded.toUpperCase();
  });
}

function refuseUrl(why: string): CanonicalUrl {
  return { kind: "refused", why };
}
