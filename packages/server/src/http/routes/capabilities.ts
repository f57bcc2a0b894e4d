import { createRoute, z } from "@hono/zod-openapi";
import { adapterName, hasCapabilityScope } from "@paraph/core";
import type { KnownCapability } from "../../services/types/service-types.ts";
import { type Parts, router } from "../context.ts";
import { unknownCapability } from "../problem.ts";
import { capabilitySummary, contract as contractSchema } from "../schemas/capability.ts";
import { capabilityName, handle, json, limit, needs, problemResponses } from "../schemas/common.ts";

const listCapabilities = createRoute({
  operationId: "listCapabilities",
  method: "get",
  path: "/v1/capabilities",
  tags: ["Capabilities"],
  summary: "What you can request",
  description: "Capabilities that policy can allow you. Agents see no `admin.*`.",
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
      const { caller } = c.var;
      // A key that may read sees everything that its principal may request. A narrower key sees its own scopes.
      const canRead = caller.scopes === undefined || caller.scopes.includes("read");
      const within = ({ contract }: KnownCapability) =>
        (adapter === undefined || adapterName(contract) === adapter) &&
        (canRead || hasCapabilityScope(caller, contract.name));
      const all = service.offered(caller.principal);
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
      const { principal } = c.var.caller;
      const found = service.capability(principal.tenant, name);
      // People also read the contracts of what others request, because they decide about it.
      const isHidden = principal.kind !== "person" && !isOffered(name, service.offered(principal));
      if (!found || isHidden) throw unknownCapability();
      const { contract, contractDigest } = found;
      return c.json({ ...(contract as unknown as z.input<typeof contractSchema>), contractDigest }, 200);
    });
}

function isOffered(name: string, offered: readonly KnownCapability[]): boolean {
  return offered.some(({ contract }) => contract.name === name);
}

function summaryOf({ contract, contractDigest, unavailable }: KnownCapability) {
  const { name, version, summary, effect, risk, previews, performer } = contract;
  return {
    name,
    version,
    summary,
    effect,
    risk,
    previews,
    contractDigest,
    ...(performer && { performer }),
    ...(unavailable && { unavailable: unavailable.message }),
  };
}
