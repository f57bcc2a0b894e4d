import { OpenAPIHono } from "@hono/zod-openapi";
import { approvalOperations } from "./routes/approvals.ts";
import { callOperations } from "./routes/calls.ts";
import { capabilityOperations } from "./routes/capabilities.ts";
import { eventOperations } from "./routes/events.ts";
import { healthOperations } from "./routes/health.ts";
import { receiptOperations } from "./routes/receipts.ts";

export type OpenApiDocument = ReturnType<OpenAPIHono["getOpenAPI31Document"]>;

/** The OpenAPI 3.1 document of everything this server answers; needs no running server. */
export function openApiDocument(): OpenApiDocument {
  const { openAPIRegistry, getOpenAPI31Document } = new OpenAPIHono();
  openAPIRegistry.registerComponent("securitySchemes", "key", {
    type: "http",
    scheme: "bearer",
    description: "An API key of an agent, a service or a person.",
  });
  const operations = [
    ...callOperations,
    ...eventOperations,
    ...approvalOperations,
    ...receiptOperations,
    ...capabilityOperations,
    ...healthOperations,
  ];
  for (const operation of operations) openAPIRegistry.registerPath(operation);
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
      { name: "Approvals", description: "What people are asked, and their answers." },
      { name: "Receipts", description: "What happened, signed." },
      { name: "Capabilities", description: "What can be asked for, and by whom." },
      { name: "Operation", description: "For those who run the server." },
    ],
  });
}
