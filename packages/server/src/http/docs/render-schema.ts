import type { OpenApiDocument } from "../openapi-document.ts";
import { type Html, html, renderProse } from "./html.ts";

export type SchemaObject = NonNullable<NonNullable<OpenApiDocument["components"]>["schemas"]>[string];
type InlineSchema = Exclude<SchemaObject, { $ref: string }>;

/** Renders the members of an object with their types and descriptions. Nested objects are collapsed. */
export function renderMembers(schema: SchemaObject): Html {
  const shape = toInline(schema);
  const properties = Object.entries(shape?.properties ?? {});
  if (properties.length === 0) return html`<p class="type">${renderType(schema)}</p>`;
  const entries = properties.map(([name, member]) =>
    renderEntry(name, member, {
      required: shape?.required?.includes(name) ?? false,
      description: toInline(member)?.description,
    }),
  );
  return html`<dl>${entries}</dl>`;
}

export function renderEntry(
  name: string,
  schema: SchemaObject,
  about: { required: boolean; place?: string; description: string | undefined },
): Html {
  const inner = findNestedObject(schema);
  const notes = [about.place && `in ${about.place}`, !about.required && "optional"]
    .filter(Boolean)
    .join(", ");
  return html`<div>
    <dt><code>${name}</code> <span class="type">${inner ? "object" : renderType(schema)}</span> <span class="optional">${notes}</span></dt>
    <dd>${renderProse(about.description)}${inner && html`<details><summary>Members</summary>${renderMembers(inner)}</details>`}</dd>
  </div>`;
}

/** Renders a short name of the type. Named schemas are links. */
export function renderType(schema: SchemaObject): Html {
  if ("$ref" in schema) return renderRef(schema.$ref);
  const options = schema.oneOf ?? schema.anyOf;
  if (options) return joinHtml(options.map(renderType), " or ");
  if (schema.enum)
    return joinHtml(
      schema.enum.map((value) => html`<code>${String(value)}</code>`),
      " · ",
    );
  if (schema.type === "array" && schema.items) return html`list of ${renderType(schema.items)}`;
  if (schema.properties) {
    const inner = Object.entries(schema.properties).map(
      ([name, member]) => html`<code>${name}</code>: ${renderType(member)}`,
    );
    return html`{ ${joinHtml(inner, ", ")} }`;
  }
  if (schema.format === "date-time") return html`time`;
  const types = [schema.type ?? "any JSON"].flat().map((type) => html`${type === "null" ? "nothing" : type}`);
  return joinHtml(types, " or ");
}

/** Returns the schema if it is an unnamed object. */
function findNestedObject(schema: SchemaObject): SchemaObject | undefined {
  const shape = toInline(schema);
  return shape?.properties ? schema : undefined;
}

function toInline(schema: SchemaObject): InlineSchema | undefined {
  return "$ref" in schema ? undefined : schema;
}

function renderRef(ref: string): Html {
  const name = ref.slice(ref.lastIndexOf("/") + 1);
  return html`<a href="#schema-${name}">${name}</a>`;
}

function joinHtml(parts: readonly Html[], separator: string): Html {
  return html`${parts.map((part, index) => (index === 0 ? part : html`${separator}${part}`))}`;
}
