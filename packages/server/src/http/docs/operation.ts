import type { OpenApiDocument } from "../document.ts";
import { type Html, html, prose } from "./html.ts";
import { entry, members, type Schema, typeOf } from "./schema.ts";

type PathItem = NonNullable<OpenApiDocument["paths"]>[string];
type Described = NonNullable<PathItem["get"]>;
type Parameter = Exclude<NonNullable<Described["parameters"]>[number], { $ref: string }>;

export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly tag: string;
  readonly described: Described;
}

export function operationsOf(document: OpenApiDocument): Operation[] {
  return Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    (["post", "get"] as const).flatMap((method) => {
      const described = item[method];
      if (!described) return [];
      return [{ id: described.operationId ?? path, method, path, tag: described.tags?.[0] ?? "", described }];
    }),
  );
}

export function operationSection(operation: Operation, document: OpenApiDocument): Html {
  const { id, method, path, described } = operation;
  const parameters = (described.parameters ?? []) as Parameter[];
  const body = bodyOf(described);
  return html`<section class="operation" id="${id}">
    <h3><a href="#${id}">${described.summary ?? id}</a></h3>
    <p class="route"><span class="method ${method}">${method}</span> <code>${path}</code>${!described.security && html` <span class="optional">no key needed</span>`}</p>
    ${described.description !== undefined && html`<p>${prose(described.description)}</p>`}
    <pre tabindex="0"><code>${curl(operation, parameters, document)}</code></pre>
    ${parameters.length > 0 && html`<h4>Parameters</h4><dl>${parameters.map(parameterEntry)}</dl>`}
    ${body && html`<h4>Body</h4><p class="type">${typeOf(body)}</p>${members(resolved(body, document))}`}
    <h4>Answers</h4>
    <dl class="answers">${Object.entries(described.responses ?? {}).map(([status, response]) => answer(status, response))}</dl>
  </section>`;
}

function parameterEntry({ name, in: place, schema, required, description }: Parameter): Html {
  const shown = place === "header" ? headerName(name) : name;
  return entry(shown, schema ?? {}, { required: required ?? false, place, description });
}

function answer(status: string, response: Exclude<Described["responses"], undefined>[string]): Html {
  const content = Object.entries(
    (response as { content?: Record<string, { schema?: Schema }> }).content ?? {},
  );
  // That problems are problems is said once, at the top.
  const kinds = content
    .filter(([media]) => media !== "application/problem+json")
    .map(
      ([media, { schema }]) =>
        html`<p class="type">${schema && typeOf(schema)}${media !== "application/json" && html` as <code>${media}</code>`}</p>`,
    );
  return html`<div><dt><code class="status s${status[0]}">${status}</code></dt><dd>${prose(response.description)}${kinds}</dd></div>`;
}

/** One line to try it with, made of the document's own examples. */
function curl(
  { method, path, described }: Operation,
  parameters: readonly Parameter[],
  document: OpenApiDocument,
): string {
  const examples = new Map(parameters.map(({ name, schema }) => [name, exampleOf(schema)]));
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => String(examples.get(name) ?? name));
  const body = bodyOf(described);
  const lines = [
    `curl ${method === "post" ? "-X POST " : ""}$PARAPH_URL${filled}`,
    described.security && `-H "Authorization: Bearer $PARAPH_KEY"`,
    ...parameters
      .filter(({ name, in: place }) => place === "header" && examples.get(name) !== undefined)
      .map(({ name }) => `-H "${headerName(name)}: ${examples.get(name)}"`),
    body && `-H "Content-Type: application/json"`,
    body && `-d '${JSON.stringify(exampleOf(resolved(body, document)))}'`,
  ];
  return lines.filter((line) => line !== undefined).join(" \\\n  ");
}

function bodyOf(described: Described): Schema | undefined {
  const body = described.requestBody;
  return body && !("$ref" in body) ? body.content["application/json"]?.schema : undefined;
}

function resolved(schema: Schema, document: OpenApiDocument): Schema {
  if (!("$ref" in schema)) return schema;
  return document.components?.schemas?.[schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1)] ?? {};
}

function exampleOf(schema: Schema | undefined): unknown {
  return schema && !("$ref" in schema) ? schema.example : undefined;
}

/** `idempotency-key` as people write it. */
function headerName(name: string): string {
  return name.replace(/(^|-)id$/, "$1ID").replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
}
