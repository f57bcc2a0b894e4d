import { isIP } from "node:net";
import { domainToASCII, domainToUnicode } from "node:url";

/**
 * Returns a host in its network form: lower case, punycode, without trailing dots. Returns undefined if the text is not
 * a valid host.
 */
export function normalizeHost(written: string): string | undefined {
  if (plainHostPattern.test(written)) return written.length <= 253 ? written : undefined;
  const host = toAsciiHost(written);
  const isName = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/.test(host);
  return host.length <= 253 && (isName || isNetworkAddress(host)) ? host : undefined;
}

/**
 * Matches a host that is already in its network form, as most hosts are. The pattern excludes a host whose last label
 * consists of digits, because such a host could be an address.
 */
const plainHostPattern = /^(?!xn--)[a-z0-9]+(?:-[a-z0-9]+)*(?:\.(?!xn--)[a-z0-9]+(?:-[a-z0-9]+)*)*\.[a-z]+$/;

/**
 * Converts a host to ASCII by the rules of the URL parser (UTS 46). Paraph then compares the same host that a browser
 * or mail program connects to.
 */
function toAsciiHost(written: string): string {
  return removeEnd(domainToASCII(written.trim()), ".");
}

/** Removes these characters from the end of a text. A pattern such as `/\.+$/` takes quadratic time. */
export function removeEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1]!)) end -= 1;
  return text.slice(0, end);
}

/**
 * Whether the host is an address and not a name. `normalizeHost` has already converted octal, hexadecimal and
 * single-number notations.
 */
export function isNetworkAddress(host: string): boolean {
  return isIP(host) !== 0 || (host.startsWith("[") && host.endsWith("]"));
}

/** Whether a label of the host mixes scripts that no language combines. */
export function hasMixedScripts(host: string): boolean {
  return domainToUnicode(host)
    .split(".")
    .some((label) => !allowedScriptMixes.some((together) => together.test(label)));
}

const commonScripts = "\\p{Script=Common}\\p{Script=Inherited}";
/** Unicode's "highly restrictive" profile: one script, or Latin with the scripts of Chinese, Japanese or Korean. */
const allowedScriptMixes = [
  ["Latin", "Han", "Hiragana", "Katakana"],
  ["Latin", "Han", "Bopomofo"],
  ["Latin", "Han", "Hangul"],
  ...[
    ["Cyrillic", "Greek", "Armenian", "Hebrew", "Arabic", "Devanagari", "Bengali", "Gurmukhi", "Gujarati"],
    ["Tamil", "Telugu", "Kannada", "Malayalam", "Thai", "Lao", "Georgian", "Ethiopic", "Khmer", "Sinhala"],
    ["Myanmar", "Cherokee", "Tibetan", "Mongolian"],
  ]
    .flat()
    .map((script) => [script]),
].map(
  (scripts) =>
    new RegExp(`^[${commonScripts}${scripts.map((script) => `\\p{Script=${script}}`).join("")}]*$`, "u"),
);

/**
 * Returns the allowed host that this host imitates, if any. The result only makes a refusal clearer and never allows a
 * host.
 */
export function findLookalike(host: string, allowed: readonly string[]): string | undefined {
  const seen = toSkeleton(domainToUnicode(host));
  return allowed.find((each) => {
    const meant = toSkeleton(domainToUnicode(each));
    if (host === each || host.endsWith(`.${each}`)) return false;
    return seen === meant || isOneEditAway(seen, meant) || containsName(seen, meant);
  });
}

/**
 * Whether another name contains the allowed one, as in `example.com.evil.net`, `example-com.net` or
 * `secure-example.com`.
 */
function containsName(seen: string, meant: string): boolean {
  const flat = (text: string) => text.replaceAll(/[.-]/g, "");
  return flat(meant).length >= 7 && flat(seen) !== flat(meant) && flat(seen).includes(flat(meant));
}

/**
 * Whether the names differ by one added, removed or changed character, or by two swapped neighbours. The function
 * returns false for short names, because they can be similar by chance.
 */
function isOneEditAway(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1 || Math.min(a.length, b.length) < 8) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  if (left.length <= 1 && right.length <= 1) return true;
  return left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0];
}

/** Maps letters that look alike to one letter. It removes diacritics and replaces the usual confusable letters. */
function toSkeleton(text: string): string {
  const bare = text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();
  return [...bare]
    .map((letter) => confusableLetters.get(letter) ?? letter)
    .join("")
    .replaceAll("rn", "m")
    .replaceAll("vv", "w")
    .replaceAll("cl", "d");
}

const confusableLetters = new Map(
  Object.entries({
    a: "аɑαａ",
    b: "ЬƄвЪьƅ",
    c: "сϲᴄⅽç",
    d: "ԁɗⅾ",
    e: "еєҽℯ",
    g: "ɡցǵ",
    h: "һհн",
    i: "іıɩιӏ1ⅰ",
    j: "јϳ",
    k: "кκĸ",
    l: "ⅼլ|ℓ",
    m: "мⅿ",
    n: "пոηɴ",
    o: "оοօ0ο๐ჿø",
    p: "рρⲣ",
    q: "ԛգ",
    r: "гᴦⲅ",
    s: "ѕʂ5",
    t: "тτ",
    u: "υսцᴜ",
    v: "νѵⅴ",
    w: "ѡԝωա",
    x: "хχⅹ",
    y: "уүγу",
    z: "ᴢʐ",
  }).flatMap(([letter, likes]) => [...likes].map((like) => [like, letter === "l" ? "i" : letter] as const)),
);
confusableLetters.set("l", "i");
