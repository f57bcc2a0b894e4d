/**
 * Returns the text of an HTML mail up to the first quote that a mail client marked. It keeps only line breaks and
 * characters. [TRUST 24] Anyone can send a mail, so each pattern reads a character a limited number of times.
 */
export function readHtmlText(html: string): string {
  const visible = html
    .slice(0, maxHtmlLength)
    .replaceAll(/<!--[\s\S]*?(-->|$)/g, "")
    .replaceAll(/<(head|style|script|title)\b[\s\S]*?(<\/\1\s*>|$)/gi, "");
  const quoteAt = findQuote(visible);
  return (quoteAt < 0 ? visible : `${visible.slice(0, quoteAt)}<br>&gt;`)
    .replaceAll(/\s+/g, " ")
    .replaceAll(/<[^>]*(>|$)/g, (tag) => (breaksLine.test(tag) ? "\n" : ""))
    .replaceAll(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]{2,8});/gi, decodeEntity)
    .trim();
}

const maxHtmlLength = 200_000;

const breaksLine = /^<((br|hr)|\/?(p|div|li|tr|table|ul|ol|h[1-6]|blockquote|pre))\b/i;

/** Class names and ids with which mail clients mark the earlier mail. */
const quoteMarks = [
  ...["gmail_quote", "gmail_attr", "moz-cite-prefix", "yahoo_quoted", "protonmail_quote", "divrplyfwdmsg"],
  ...["appendonsend", "outlookmessageheader", "zmail_extra", "ms-outlook-mobile-reference"],
];

function findQuote(html: string): number {
  for (const { 0: tag, index } of html.matchAll(/<[a-z][^<>]{0,4000}>/gi)) {
    const lower = tag.toLowerCase();
    if (/^<blockquote\b/.test(lower) || quoteMarks.some((mark) => lower.includes(mark))) return index;
  }
  return -1;
}

const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
};

function decodeEntity(whole: string, name: string): string {
  if (!name.startsWith("#")) return entities[name.toLowerCase()] ?? whole;
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return code > 0 && code <= 0x10_ffff ? String.fromCodePoint(code).toWellFormed() : "";
}
