import { createRoute, z } from "@hono/zod-openapi";
import type { Call, Principal, ReceiptBundle } from "@paraph/core";
import { sameJson } from "@paraph/core";
import type { Service } from "../../services/types/service-types.ts";
import { type Parts, router } from "../context.ts";
import { findCall } from "../middleware/authorization.ts";
import { Problem, unknownCall } from "../problem.ts";
import { callId, json, needs, problemResponses } from "../schemas/common.ts";
import { publicKey, receiptBundle } from "../schemas/receipt.ts";
import { contractOf } from "../views/call-view.ts";
import { sightOf } from "../views/field-visibility.ts";
import { shownTo } from "../views/mask.ts";

const mediaType = "application/vnd.paraph.receipt.v1+json";

const getReceipt = createRoute({
  operationId: "getReceipt",
  method: "get",
  path: "/v1/calls/{call}/receipt",
  tags: ["Receipts"],
  summary: "The signed receipt of a closed call",
  description:
    "Verifies offline with a key of `/v1/keys`. Beside the signed envelope travel the payloads this reader may see, each with the salt of its commitment.",
  security: needs("read", "calls", "admin"),
  request: { params: z.object({ call: callId }) },
  responses: {
    200: { description: "The receipt.", content: { [mediaType]: { schema: receiptBundle } } },
    ...problemResponses("not-authenticated", "scope-missing", "call-unknown", "receipt-pending"),
  },
});

const listKeys = createRoute({
  operationId: "listKeys",
  method: "get",
  path: "/v1/keys",
  tags: ["Receipts"],
  summary: "The public keys that receipts verify with",
  description: "Needs no key of yours: these are public.",
  responses: {
    200: json(z.object({ keys: z.array(publicKey) }), "Ed25519 keys as JSON Web Keys."),
    ...problemResponses(),
  },
});

export const receiptOperations = [getReceipt, listKeys];

export function receiptRoutes({ service }: Parts) {
  return router()
    .openapi(listKeys, (c) => c.json({ keys: [...service.keys()] }, 200))
    .openapi(getReceipt, async (c) => {
      const principal = c.get("principal");
      const name = c.req.valid("param").call;
      const call = await findCall(c, service, name);
      if (!call) throw unknownCall();
      const receipt = await service.receipt(principal, name);
      if (!receipt) {
        throw new Problem(
          "receipt-pending",
          "The call is still open: it has a receipt as soon as it is closed.",
        );
      }
      return c.json(await disclosedTo(principal, call, receipt, service), 200, { "content-type": mediaType });
    });
}

/** [TRUST 16] A commitment holds for the whole value: what a reader may see only in part is not disclosed to them. */
async function disclosedTo(
  reader: Principal,
  call: Call,
  receipt: ReceiptBundle,
  service: Service,
): Promise<z.input<typeof receiptBundle>> {
  const { payloads } = shownTo(reader, call, contractOf(call, service), await sightOf(reader, call, service));
  const whole = Object.entries(receipt.disclosures).filter(([name, disclosure]) =>
    sameJson(payloads[name as keyof typeof payloads], disclosure.value),
  );
  return { ...(receipt as z.input<typeof receiptBundle>), disclosures: Object.fromEntries(whole) };
}
