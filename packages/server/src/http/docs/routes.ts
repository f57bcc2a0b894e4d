import { Hono } from "hono";
import type { Env } from "../context.ts";
import { createOpenApiDocument } from "../openapi-document.ts";
import { renderReferencePage } from "./reference-page.ts";
import { docsStylesheet } from "./stylesheet.ts";

const contentSecurityPolicy =
  "default-src 'none'; style-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/** Creates the routes of the OpenAPI document and the reference page. Both are rendered once. */
export function createReferenceRoutes(): Hono<Env> {
  const document = createOpenApiDocument();
  const json = JSON.stringify(document);
  const page = renderReferencePage(document);
  return new Hono<Env>()
    .get("/openapi.json", (c) => c.body(json, 200, { "content-type": "application/json" }))
    .get("/docs", (c) =>
      c.body(page, 200, {
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": contentSecurityPolicy,
      }),
    )
    .get("/docs.css", (c) => c.body(docsStylesheet, 200, { "content-type": "text/css; charset=utf-8" }));
}
