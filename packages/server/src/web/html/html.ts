import { escapeInvisibleLines, splitInvisible } from "@paraph/core/escape-invisible";

/** Markup that is safe to put into a page as it is. Only `html` makes it. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type HtmlPart = string | number | Html | undefined | false | readonly HtmlPart[];

/**
 * [TRUST 5, 22] A template whose parts are escaped and hold nothing hidden, unless they are markup already: what
 * somebody forgot to think about is safe, in an attribute too.
 */
export function html(strings: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  return new Html(strings.reduce((page, text, index) => `${page}${toMarkup(parts[index - 1])}${text}`));
}

/** Words that are not ours: kept from reordering what stands around them, each hidden character named and marked. */
export function renderForeign(text: string): Html {
  return html`<bdi>${markInvisible(text)}</bdi>`;
}

/** The same inside a block of its own. */
export function markInvisible(text: string): Html {
  const stretches = splitInvisible(text).map(({ text: stretch, named }) =>
    named ? `<mark>${escapeHtml(stretch)}</mark>` : escapeHtml(stretch),
  );
  return new Html(stretches.join(""));
}

/** `a, b and c`. */
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
