/** Markup that is safe to insert into a page unescaped. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Html | undefined | false | readonly Part[];

/** Renders a template and escapes every part that is not already markup. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.reduce((page, text, index) => `${page}${toMarkup(parts[index - 1])}${text}`));
}

/** Renders text in which backticks enclose code. Code for which `findLink` returns an address becomes a link. */
export function renderProse(
  text: string | undefined,
  findLink: (code: string) => string | undefined = () => undefined,
): Html {
  const pieces = (text ?? "").split("`");
  return html`${pieces.map((piece, index) => (index % 2 === 1 ? renderCode(piece, findLink(piece)) : piece))}`;
}

function renderCode(text: string, link: string | undefined): Html {
  return link === undefined ? html`<code>${text}</code>` : html`<a href="${link}"><code>${text}</code></a>`;
}

function toMarkup(part: Part): string {
  if (part === undefined || part === false) return "";
  if (part instanceof Html) return part.text;
  if (typeof part === "object") return part.map(toMarkup).join("");
  return String(part).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
