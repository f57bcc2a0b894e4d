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
      "An API key of an agent, a service or a person, or an access token of the configured issuer. A key with scopes needs one of the scopes that an operation names.",
  });
  for (const operation of apiOperations) openAPIRegistry.registerPath(operation);
  return getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Paraph",
      version: "1",
      description:
        "Approvals, policy and an audit trail for AI agents. Paraph checks every call against policy, previews it, asks approvers if policy demands it, performs it once, and signs a receipt.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" } as never,
    },
    servers: [{ url: "/" }],
    tags: [
      { name: "Calls", description: "Request a call, wait for it and follow it." },
      { name: "Plans", description: "Request several steps as one call, and preview calls." },
      { name: "Sessions", description: "The state of a session, from which an agent resumes." },
      { name: "Approvals", description: "Approvals and votes." },
      { name: "Receipts", description: "Signed receipts of closed calls." },
      { name: "Activity", description: "Requests, approvals, effects and undos, for export." },
      { name: "Observations", description: "Observations of adapters in external systems." },
      { name: "Capabilities", description: "Capabilities and their contracts." },
      { name: "People", description: "Your identity, and the principals, groups and keys of the tenant." },
      { name: "Administration", description: "Freezes and grants." },
      { name: "Policy", description: "Policies in force, explanations of rulings, and backtests." },
      { name: "Operation", description: "For operators of the server." },
    ],
  });
}
