import type { OpenApiDocument } from "../openapi-document.ts";
import { isProblemCode, toProblemPath } from "../problem-types.ts";
import { type Html, html, renderProse } from "./html.ts";
import { renderEntry, renderMembers, renderType, type SchemaObject } from "./render-schema.ts";

type PathItem = NonNullable<OpenApiDocument["paths"]>[string];
type OperationObject = NonNullable<PathItem["get"]>;
type Parameter = Exclude<NonNullable<OperationObject["parameters"]>[number], { $ref: string }>;

export interface DocumentedOperation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly tag: string;
  readonly spec: OperationObject;
}

export function listOperations(document: OpenApiDocument): DocumentedOperation[] {
  return Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    (["post", "get", "delete"] as const).flatMap((method) => {
      const spec = item[method];
      return spec ? [{ id: spec.operationId ?? path, method, path, tag: spec.tags?.[0] ?? "", spec }] : [];
    }),
  );
}

export function renderOperation(operation: DocumentedOperation, document: OpenApiDocument): Html {
  const { id, method, path, spec } = operation;
  const parameters = (spec.parameters ?? []) as Parameter[];
  const body = findBodySchema(spec);
  return html`<section class="operation" id="${id}">
    <h3><a href="#${id}">${spec.summary ?? id}</a></h3>
    <p class="route"><span class="method ${method}">${method}</span> <code>${path}</code>${!spec.security && html` <span class="optional">no key needed</span>`}</p>
    ${spec.description !== undefined && html`<p>${renderProse(spec.description)}</p>`}
    <pre tabindex="0"><code>${formatCurl(operation, parameters, document)}</code></pre>
    ${parameters.length > 0 && html`<h4>Parameters</h4><dl>${parameters.map(renderParameter)}</dl>`}
    ${body && html`<h4>Body</h4><p class="type">${renderType(body)}</p>${renderMembers(resolveRef(body, document))}`}
    <h4>Responses</h4>
    <dl class="answers">${Object.entries(spec.responses ?? {}).map(([status, response]) => renderResponse(status, response))}</dl>
  </section>`;
}

function renderParameter({ name, in: place, schema, required, description }: Parameter): Html {
  const shown = place === "header" ? formatHeaderName(name) : name;
  return renderEntry(shown, schema ?? {}, { required: required ?? false, place, description });
}

function renderResponse(
  status: string,
  response: Exclude<OperationObject["responses"], undefined>[string],
): Html {
  const link = isProblemResponse(response) ? toProblemLink : undefined;
  const content = Object.entries(
    (response as { content?: Record<string, { schema?: SchemaObject }> }).content ?? {},
  );
  // Leaves out the problem format, which the page describes once, in the conventions at the top.
  const kinds = content
    .filter(([media]) => media !== "application/problem+json")
    .map(
      ([media, { schema }]) =>
        html`<p class="type">${schema && renderType(schema)}${media !== "application/json" && html` as <code>${media}</code>`}</p>`,
    );
  return html`<div><dt><code class="status s${status[0]}">${status}</code></dt><dd>${renderProse(response.description, link)}${kinds}</dd></div>`;
}

/** Returns whether a response is a problem. Its description names the problem codes. */
export function isProblemResponse(response: object): response is { readonly description: unknown } {
  return "content" in response && Object.hasOwn(response.content as object, "application/problem+json");
}

function toProblemLink(code: string): string | undefined {
  return isProblemCode(code) ? toProblemPath(code) : undefined;
}

/** Returns a curl command with the examples of the document. */
function formatCurl(
  { method, path, spec }: DocumentedOperation,
  parameters: readonly Parameter[],
  document: OpenApiDocument,
): string {
  const examples = new Map(parameters.map(({ name, schema }) => [name, readExample(schema)]));
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => String(examples.get(name) ?? name));
  const body = findBodySchema(spec);
  const lines = [
    `curl ${method === "get" ? "" : `-X ${method.toUpperCase()} `}$PARAPH_URL${filled}`,
    spec.security && `-H "Authorization: Bearer $PARAPH_KEY"`,
    ...parameters
      .filter(({ name, in: place }) => place === "header" && examples.get(name) !== undefined)
      .map(({ name }) => `-H "${formatHeaderName(name)}: ${examples.get(name)}"`),
    body && `-H "Content-Type: application/json"`,
    body && `-d '${JSON.stringify(readExample(resolveRef(body, document)))}'`,
  ];
  return lines.filter((line) => line !== undefined).join(" \\\n  ");
}

function findBodySchema(described: OperationObject): SchemaObject | undefined {
  const body = described.requestBody;
  return body && !("$ref" in body) ? body.content["application/json"]?.schema : undefined;
}

function resolveRef(schema: SchemaObject, document: OpenApiDocument): SchemaObject {
  if (!("$ref" in schema)) return schema;
  return document.components?.schemas?.[schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1)] ?? {};
}

function readExample(schema: SchemaObject | undefined): unknown {
  return schema && !("$ref" in schema) ? schema.example : undefined;
}

/** Returns a header name in its usual capitalization. */
function formatHeaderName(name: string): string {
  return name.replace(/(^|-)id$/, "$1ID").replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
}
