import { createRoute, z } from "@hono/zod-openapi";
import { adapterOf } from "@paraph/core";
import { type Parts, router } from "../context.ts";
import { unknownCapability } from "../problem.ts";
import { capabilitySummary, contract as contractSchema } from "../schemas/capability.ts";
import { capabilityName, handle, json, limit, needs, problemResponses } from "../schemas/common.ts";
import type { KnownCapability } from "../service.ts";

const listCapabilities = createRoute({
  operationId: "listCapabilities",
  method: "get",
  path: "/v1/capabilities",
  tags: ["Capabilities"],
  summary: "What can be asked for",
  security: needs("read", "calls"),
  request: {
    query: z.object({
      limit,
      after: capabilityName
        .optional()
        .openapi({ description: "The page before ended with this one: its `next`." }),
      adapter: handle("files").optional().openapi({ description: "Only those of this adapter." }),
    }),
  },
  responses: {
    200: json(
      z.object({ capabilities: z.array(capabilitySummary), next: z.string().optional() }),
      "Capabilities, by name. `next`: there are more after this one.",
    ),
    ...problemResponses("parameter-invalid", "not-authenticated", "scope-missing"),
  },
});

const getCapability = createRoute({
  operationId: "getCapability",
  method: "get",
  path: "/v1/capabilities/{name}",
  tags: ["Capabilities"],
  summary: "The contract of a capability",
  description: "Everything it promises, with the JSON Schemas of its input and output.",
  security: needs("read", "calls"),
  request: { params: z.object({ name: capabilityName }) },
  responses: {
    200: json(contractSchema, "The contract."),
    ...problemResponses("not-authenticated", "scope-missing", "capability-unknown"),
  },
});

export const capabilityOperations = [listCapabilities, getCapability];

export function capabilityRoutes({ service }: Parts) {
  return router()
    .openapi(listCapabilities, (c) => {
      const { limit, after = "", adapter } = c.req.valid("query");
      const within = ({ contract }: KnownCapability) =>
        adapter === undefined || adapterOf(contract) === adapter;
      const all = service.capabilities(c.var.caller.principal);
      const from = all.findIndex(({ contract }) => contract.name > after);
      const found: KnownCapability[] = [];
      for (let at = from; at >= 0 && at < all.length && found.length <= limit; at += 1)
        if (within(all[at]!)) found.push(all[at]!);
      const page = found.slice(0, limit);
      const next = found.length > limit ? page.at(-1)!.contract.name : undefined;
      return c.json({ capabilities: page.map(summaryOf), ...(next !== undefined && { next }) }, 200);
    })
    .openapi(getCapability, (c) => {
      const { name } = c.req.valid("param");
      const found = service.capability(c.var.caller.principal.tenant, name);
      if (!found) throw unknownCapability();
      const { contract, contractDigest } = found;
      return c.json({ ...(contract as unknown as z.input<typeof contractSchema>), contractDigest }, 200);
    });
}

function summaryOf({ contract, contractDigest, away }: KnownCapability) {
  const { name, version, summary, effect, risk, previews, performer } = contract;
  return {
    ...{ name, version, summary, effect, risk, previews, contractDigest },
    ...(performer && { performer }),
    ...(away && { away: away.says }),
  };
}
