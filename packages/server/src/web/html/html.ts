import { escapeInvisibleLines, splitInvisible } from "@paraph/core/escape-invisible";

/** Markup that is safe to insert into a page unescaped. Only this module creates it. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A value that a template accepts. */
export type HtmlPart = string | number | Html | undefined | false | readonly HtmlPart[];

/**
 * [TRUST 5, 22] Renders a template. It escapes every part that is not already markup, and names invisible characters.
 * If a developer forgets to escape a part, the page is still safe, even in an attribute.
 */
export function html(strings: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  return new Html(strings.reduce((page, text, index) => `${page}${toMarkup(parts[index - 1])}${text}`));
}

/**
 * Renders text from outside of Paraph. The text cannot reorder the surrounding text, and each invisible character is
 * named and marked.
 */
export function renderForeign(text: string): Html {
  return html`<bdi>${markInvisible(text)}</bdi>`;
}

/** Renders a person's own words as a quotation. */
export function renderWords(text: string): Html {
  return html`<blockquote class="words">${markInvisible(text)}</blockquote>`;
}

/**
 * Renders text that comes from outside of Paraph and has a block of its own. It names and marks invisible characters,
 * but does not isolate the text's direction.
 */
export function markInvisible(text: string): Html {
  const stretches = splitInvisible(text).map(({ text: stretch, named }) =>
    named ? `<mark>${escapeHtml(stretch)}</mark>` : escapeHtml(stretch),
  );
  return new Html(stretches.join(""));
}

/** Joins items as in `a, b and c`. */
export function joinList(items: readonly HtmlPart[]): Html {
  const between = (index: number) => (index === 0 ? "" : index === items.length - 1 ? " and " : ", ");
  return html`${items.map((item, index) => [between(index), item])}`;
}

function toMarkup(part: HtmlPart): string {
  if (part === undefined || part === false) return "";
  if (part instanceof Html) return part.text;
  if (typeof part === "object") return part.map(toMarkup).join("");
  return escapeHtml(escapeInvisibleLines(String(part)).join("\n"));
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
