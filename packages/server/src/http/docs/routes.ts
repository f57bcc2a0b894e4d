import { Hono } from "hono";
import type { Env } from "../context.ts";
import { createOpenApiDocument } from "../openapi-document.ts";
import { HttpProblem } from "../problem.ts";
import { errorsPath } from "../problem-types.ts";
import { renderErrorPages, renderErrorsPage } from "./errors-page.ts";
import { renderReferencePage } from "./reference-page.ts";
import { docsStylesheet } from "./stylesheet.ts";

const pageHeaders = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy":
    "default-src 'none'; style-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
};

interface Reference {
  readonly json: string;
  readonly page: string;
  readonly errorsPage: string;
  readonly errorPages: ReadonlyMap<string, string>;
}

let reference: Reference | undefined;

/** Returns the texts of the reference. The first request renders them, because a start should not wait for them. */
function getReference(): Reference {
  reference ??= renderReference();
  return reference;
}

function renderReference(): Reference {
  const document = createOpenApiDocument();
  return {
    json: JSON.stringify(document),
    page: renderReferencePage(document),
    errorsPage: renderErrorsPage(),
    errorPages: renderErrorPages(document),
  };
}

/** Creates the routes of the OpenAPI document, the reference page and the pages of errors. */
export function createReferenceRoutes(): Hono<Env> {
  return new Hono<Env>()
    .get("/openapi.json", (c) => c.body(getReference().json, 200, { "content-type": "application/json" }))
    .get("/docs", (c) => c.body(getReference().page, 200, pageHeaders))
    .get(errorsPath, (c) => c.body(getReference().errorsPage, 200, pageHeaders))
    .get(`${errorsPath}/:code`, (c) => {
      const found = getReference().errorPages.get(c.req.param("code"));
      if (found === undefined)
        throw new HttpProblem("not-found", "There is no such error code. See `/docs/errors` for all codes.");
      return c.body(found, 200, pageHeaders);
    })
    .get("/docs.css", (c) => c.body(docsStylesheet, 200, { "content-type": "text/css; charset=utf-8" }));
}
