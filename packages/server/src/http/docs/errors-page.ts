import type { OpenApiDocument } from "../openapi-document.ts";
import {
  errorsPath,
  getProblemType,
  isProblemCode,
  type ProblemCode,
  problemCodes,
  toProblemPath,
} from "../problem-types.ts";
import { renderDocsPage } from "./docs-page.ts";
import { type Html, html, renderProse } from "./html.ts";
import { type DocumentedOperation, isProblemResponse, listOperations } from "./render-operation.ts";

/** Renders the list of all problem codes, in order of their status. */
export function renderErrorsPage(): string {
  return renderDocsPage(
    "Error codes · Paraph API",
    html`<header>
  <h1>Error codes</h1>
  <p>An error is <code>application/problem+json</code> (RFC 9457). Its <code>code</code> is stable, its <code>detail</code> says what to do next, and its <code>type</code> is the address of one of these pages.</p>
  <p><a href="/docs">API reference</a></p>
</header>
<main>
<dl class="answers">${problemCodes.map(renderEntry)}</dl>
</main>`,
  );
}

/** Renders the page of each problem code. */
export function renderErrorPages(document: OpenApiDocument): ReadonlyMap<string, string> {
  const operations = listOperations(document);
  return new Map(problemCodes.map((code) => [code, renderErrorPage(code, operations)]));
}

function renderEntry(code: ProblemCode): Html {
  const { status, title } = getProblemType(code);
  return html`<div><dt><code class="status s${String(status)[0]}">${status}</code></dt><dd><a href="${toProblemPath(code)}"><code>${code}</code></a> ${title}</dd></div>`;
}

function renderErrorPage(code: ProblemCode, operations: readonly DocumentedOperation[]): string {
  const { status, title, cause, remedy, alsoFrom } = getProblemType(code);
  return renderDocsPage(
    `${code} · Paraph API`,
    html`<header>
  <h1>${title}</h1>
  <p><code class="status s${String(status)[0]}">${status}</code> <code>${code}</code></p>
  <p><a href="${errorsPath}">All error codes</a> · <a href="/docs">API reference</a></p>
</header>
<main>
<section class="operation"><h2>Cause</h2><p>${renderProse(cause)}</p></section>
<section class="operation"><h2>What to do</h2><p>${renderProse(remedy)}</p></section>
<section class="operation"><h2>Returned by</h2>${renderOperations(code, operations)}${alsoFrom !== undefined && html`<p>${alsoFrom}.</p>`}</section>
</main>`,
  );
}

/** Renders the operations that list a code. If all of them do, one sentence replaces the list. */
function renderOperations(code: ProblemCode, operations: readonly DocumentedOperation[]): Html | undefined {
  const returning = operations.filter(({ spec }) => listProblemCodes(spec).includes(code));
  if (returning.length === 0) return undefined;
  if (returning.length === operations.length) return html`<p>Every operation.</p>`;
  const secured = operations.filter(({ spec }) => spec.security);
  if (returning.length === secured.length && returning.every(({ spec }) => spec.security))
    return html`<p>Every operation that needs an API key.</p>`;
  return html`<ul>${returning.map(
    ({ id, method, path, spec }) =>
      html`<li><span class="method ${method}">${method}</span> <a href="/docs#${id}"><code>${path}</code></a> ${spec.summary ?? id}</li>`,
  )}</ul>`;
}

/** Returns the problem codes that an operation lists in the descriptions of its responses. */
export function listProblemCodes({ responses }: DocumentedOperation["spec"]): ProblemCode[] {
  return Object.values(responses ?? {})
    .filter(isProblemResponse)
    .flatMap(({ description }) => [...String(description).matchAll(/`([a-z-]+)`/g)].map(([, code]) => code!))
    .filter(isProblemCode);
}
