import { createRoute, z } from "@hono/zod-openapi";
import { createRouter, type RouteDeps } from "../context.ts";
import { findCall } from "../middleware/authorization.ts";
import { HttpProblem, unknownCall } from "../problem.ts";
import { callIdSchema, requireAnyScope, toJsonResponse, toProblemResponses } from "../schemas/common.ts";
import { publicKeySchema, receiptBundleSchema } from "../schemas/receipt.ts";

const mediaType = "application/vnd.paraph.receipt.v1+json";

const getReceipt = createRoute({
  operationId: "getReceipt",
  method: "get",
  path: "/v1/calls/{call}/receipt",
  tags: ["Receipts"],
  summary: "Get the signed receipt of a closed call",
  description:
    "Verify it offline with a key of `/v1/keys`. The response also contains the payloads that you may see, each with the salt of its commitment.",
  security: requireAnyScope("read", "calls", "admin"),
  request: { params: z.object({ call: callIdSchema }) },
  responses: {
    200: { description: "The receipt.", content: { [mediaType]: { schema: receiptBundleSchema } } },
    ...toProblemResponses(
      "not-authenticated",
      "scope-missing",
      "call-unknown",
      "receipt-pending",
      "receipt-altered",
    ),
  },
});

const listKeys = createRoute({
  operationId: "listKeys",
  method: "get",
  path: "/v1/keys",
  tags: ["Receipts"],
  summary: "Get the public keys that verify receipts",
  description: "Needs no API key, because these keys are public.",
  responses: {
    200: toJsonResponse(z.object({ keys: z.array(publicKeySchema) }), "Ed25519 keys as JSON Web Keys."),
    ...toProblemResponses(),
  },
});

export const receiptOperations = [getReceipt, listKeys];

export function createReceiptRoutes({ service }: RouteDeps) {
  return createRouter()
    .openapi(listKeys, (c) => c.json({ keys: [...service.listPublicKeys()] }, 200))
    .openapi(getReceipt, async (c) => {
      const name = c.req.valid("param").call;
      if (!(await findCall(c, service, name))) throw unknownCall();
      const receipt = await service.findReceipt(c.get("principal"), name);
      if (!receipt) {
        throw new HttpProblem(
          "receipt-pending",
          "The call is still open. It gets a receipt when it is closed.",
        );
      }
      return c.json(receipt as z.input<typeof receiptBundleSchema>, 200, { "content-type": mediaType });
    });
}
