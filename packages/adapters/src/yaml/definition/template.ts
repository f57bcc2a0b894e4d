/** A text with placeholders, for example `--limit={limit}`. Inserted text is never parsed as a template. */
export type Template = readonly TemplatePart[];

type TemplatePart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "value"; readonly name: string };

export type TemplateValues = ReadonlyMap<string, string>;

/** Parses a template, and reports its faults. */
export function parseTemplate(text: string, fault: (message: string) => void): Template {
  const parts: TemplatePart[] = [];
  for (const [piece] of text.matchAll(/\{\{|\}\}|\{[A-Za-z][A-Za-z0-9_]*\}|[{}]|[^{}]+/g)) {
    if (piece === "{" || piece === "}") {
      fault("a brace is unpaired: write `{name}` for a value, `{{` and `}}` for braces");
    } else if (piece === "{{" || piece === "}}") {
      parts.push({ kind: "text", text: piece[0]! });
    } else if (piece[0] === "{") {
      parts.push({ kind: "value", name: piece.slice(1, -1) });
    } else {
      parts.push({ kind: "text", text: piece });
    }
  }
  return parts;
}

export function listTemplateNames(template: Template): string[] {
  return template.flatMap((part) => (part.kind === "value" ? [part.name] : []));
}

/**
 * Lists the values that may supply the first character of the filled template. A value may be empty, so the list
 * contains all values before the first text part.
 */
export function listLeadingNames(template: Template): string[] {
  const first = template.findIndex((part) => part.kind === "text");
  return listTemplateNames(first === -1 ? template : template.slice(0, first));
}

/** Fills a template. Returns undefined if a value is missing. */
export function fillTemplate(template: Template, values: TemplateValues): string | undefined {
  const texts = template.map((part) => (part.kind === "text" ? part.text : values.get(part.name)));
  return texts.includes(undefined) ? undefined : texts.join("");
}
