import { Hono } from "hono";
import type { Env } from "../context.ts";
import { openApiDocument } from "../document.ts";
import { referencePage } from "./page.ts";
import { stylesheet } from "./stylesheet.ts";

const policy =
  "default-src 'none'; style-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/** The document, and a page to read it on; both made once. */
export function referenceRoutes(): Hono<Env> {
  const document = openApiDocument();
  const json = JSON.stringify(document);
  const page = referencePage(document);
  return new Hono<Env>()
    .get("/openapi.json", (c) => c.body(json, 200, { "content-type": "application/json" }))
    .get("/docs", (c) =>
      c.body(page, 200, { "content-type": "text/html; charset=utf-8", "content-security-policy": policy }),
    )
    .get("/docs.css", (c) => c.body(stylesheet, 200, { "content-type": "text/css; charset=utf-8" }));
}
