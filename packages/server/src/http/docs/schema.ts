import type { OpenApiDocument } from "../document.ts";
import { type Html, html, prose } from "./html.ts";

export type Schema = NonNullable<NonNullable<OpenApiDocument["components"]>["schemas"]>[string];
type Inline = Exclude<Schema, { $ref: string }>;

/** The members of an object, each with its type and what it means; nested ones folded below it. */
export function members(schema: Schema): Html {
  const shape = inline(schema);
  const properties = Object.entries(shape?.properties ?? {});
  if (properties.length === 0) return html`<p class="type">${typeOf(schema)}</p>`;
  const entries = properties.map(([name, member]) =>
    entry(name, member, {
      required: shape?.required?.includes(name) ?? false,
      description: inline(member)?.description,
    }),
  );
  return html`<dl>${entries}</dl>`;
}

export function entry(
  name: string,
  schema: Schema,
  about: { required: boolean; place?: string; description: string | undefined },
): Html {
  const inner = nested(schema);
  const notes = [about.place && `in ${about.place}`, !about.required && "optional"]
    .filter(Boolean)
    .join(", ");
  return html`<div>
    <dt><code>${name}</code> <span class="type">${inner ? "object" : typeOf(schema)}</span> <span class="optional">${notes}</span></dt>
    <dd>${prose(about.description)}${inner && html`<details><summary>Its members</summary>${members(inner)}</details>`}</dd>
  </div>`;
}

/** What a value is, in few words; named schemas are linked. */
export function typeOf(schema: Schema): Html {
  if ("$ref" in schema) return reference(schema.$ref);
  const options = schema.oneOf ?? schema.anyOf;
  if (options) return joined(options.map(typeOf), " or ");
  if (schema.enum)
    return joined(
      schema.enum.map((value) => html`<code>${String(value)}</code>`),
      " · ",
    );
  if (schema.type === "array" && schema.items) return html`list of ${typeOf(schema.items)}`;
  if (schema.properties) {
    const inner = Object.entries(schema.properties).map(
      ([name, member]) => html`<code>${name}</code>: ${typeOf(member)}`,
    );
    return html`{ ${joined(inner, ", ")} }`;
  }
  if (schema.format === "date-time") return html`time`;
  const types = [schema.type ?? "any JSON"].flat().map((type) => html`${type === "null" ? "nothing" : type}`);
  return joined(types, " or ");
}

/** A member that is an unnamed object. */
function nested(schema: Schema): Schema | undefined {
  const shape = inline(schema);
  return shape?.properties ? schema : undefined;
}

function inline(schema: Schema): Inline | undefined {
  return "$ref" in schema ? undefined : schema;
}

function reference(ref: string): Html {
  const name = ref.slice(ref.lastIndexOf("/") + 1);
  return html`<a href="#schema-${name}">${name}</a>`;
}

function joined(parts: readonly Html[], separator: string): Html {
  return html`${parts.map((part, index) => (index === 0 ? part : html`${separator}${part}`))}`;
}
