import { OpenAPIHono } from "@hono/zod-openapi";
import { apiOperations } from "./api-operations.ts";

export type OpenApiDocument = ReturnType<OpenAPIHono["getOpenAPI31Document"]>;

/** Creates the OpenAPI 3.1 document of the API. It needs no running server. */
export function createOpenApiDocument(): OpenApiDocument {
  const { openAPIRegistry, getOpenAPI31Document } = new OpenAPIHono();
  openAPIRegistry.registerComponent("securitySchemes", "key", {
    type: "http",
    scheme: "bearer",
    description:
      "An API key of an agent, a service or a person, or an access token of the configured issuer. A key that was narrowed needs one of the scopes that an operation names.",
  });
  for (const operation of apiOperations) openAPIRegistry.registerPath(operation);
  return getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Paraph",
      version: "1",
      description:
        "Let agents act, without taking their word for it: every call is checked against policy, previewed, put before people where it matters, performed once, and proven by a receipt.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" } as never,
    },
    servers: [{ url: "/" }],
    tags: [
      { name: "Calls", description: "Ask for something, wait for it, follow it." },
      { name: "Plans", description: "Several steps as one question, and a look without asking." },
      { name: "Approvals", description: "What people are asked, and their answers." },
      { name: "Receipts", description: "What happened, signed." },
      { name: "Activity", description: "Who asked, approved, applied and undid what, for export." },
      { name: "Observations", description: "What adapters perceived in the world." },
      { name: "Capabilities", description: "What can be asked for." },
      { name: "People", description: "Who you are, and who else is here." },
      { name: "Administration", description: "What is frozen, and what was approved in advance." },
      { name: "Policy", description: "What policy says, why, and what another one would have said." },
      { name: "Operation", description: "For those who run the server." },
    ],
  });
}
