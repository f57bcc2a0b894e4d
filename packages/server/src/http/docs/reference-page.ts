import type { OpenApiDocument } from "../openapi-document.ts";
import { errorsPath } from "../problem-types.ts";
import { renderDocsPage } from "./docs-page.ts";
import { type Html, html, renderProse } from "./html.ts";
import { type DocumentedOperation, listOperations, renderOperation } from "./render-operation.ts";
import { renderMembers, type SchemaObject } from "./render-schema.ts";

/** Renders the API reference as one static page without scripts or external resources. */
export function renderReferencePage(document: OpenApiDocument): string {
  const operations = listOperations(document);
  const tags = (document.tags ?? []).map(({ name, description }) => ({
    name,
    description,
    operations: operations.filter(({ tag }) => tag === name),
  }));
  const schemas = Object.entries(document.components?.schemas ?? {});
  return renderDocsPage(
    `${document.info.title} API`,
    html`<header>
  <h1>${document.info.title} <span>API v${document.info.version}</span></h1>
  <p>${document.info.description}</p>
  <p><a href="/openapi.json">OpenAPI document</a> · <a href="${errorsPath}">Error codes</a></p>
</header>
<div class="columns">
<nav aria-label="Operations"><details><summary>Contents</summary>${tags.map(renderContents)}
  <h2><a href="#schemas">Schemas</a></h2></details></nav>
<main>
${renderConventions()}
${tags.map(
  (tag) => html`<section class="tag" id="tag-${tag.name}"><h2>${tag.name}</h2><p>${tag.description}</p>
${tag.operations.map((operation) => renderOperation(operation, document))}</section>`,
)}
<section class="tag" id="schemas"><h2>Schemas</h2>${schemas.map(([name, schema]) => renderSchema(name, schema))}</section>
</main>
</div>`,
  );
}

function renderContents(tag: { name: string; operations: readonly DocumentedOperation[] }): Html {
  return html`<h2><a href="#tag-${tag.name}">${tag.name}</a></h2>
  <ul>${tag.operations.map(
    ({ id, method, spec }) =>
      html`<li><a href="#${id}"><span class="method ${method}">${method}</span> ${spec.summary ?? id}</a></li>`,
  )}</ul>`;
}

function renderConventions(): Html {
  const rules = [
    [
      "Keys.",
      "Send `Authorization: Bearer <api key>`. Records that you may not see return 404, as if they did not exist.",
    ],
    [
      "Idempotency.",
      "Send an `Idempotency-Key` with every call. A repeated request with the same key returns the same call, and Paraph performs it once.",
    ],
    [
      "Waiting.",
      "`Prefer: wait=30` delays the response until the call is closed, for at most 30 seconds. 200 means that the call is closed, with any outcome. 202 means that it is open. A call continues if you disconnect.",
    ],
    [
      "Problems.",
      "Errors are `application/problem+json` (RFC 9457) with a stable `code`. `type` is the address of the page about that code. `instance` is the id of the request, which is also in `X-Request-Id`.",
    ],
    ["Limits.", "A body is JSON of at most 1 MiB and 64 levels."],
  ] as const;
  return html`<section class="manners"><ul>${rules.map(
    ([name, rule]) => html`<li><strong>${name}</strong> ${renderProse(rule)}</li>`,
  )}</ul></section>`;
}

function renderSchema(name: string, schema: SchemaObject): Html {
  const { description, example } = schema as { description?: string; example?: unknown };
  return html`<section class="schema" id="schema-${name}"><h3><a href="#schema-${name}">${name}</a></h3>
  ${description !== undefined && html`<p>${renderProse(description)}</p>`}
  ${renderMembers(schema)}
  ${example !== undefined && html`<details><summary>Example</summary><pre tabindex="0"><code>${JSON.stringify(example, null, 2)}</code></pre></details>`}</section>`;
}
