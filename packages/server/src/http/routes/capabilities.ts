import { createRoute, z } from "@hono/zod-openapi";
import { adapterName, type Caller, hasCapabilityScope } from "@paraph/core";
import type { KnownCapability } from "../../services/paraph-service.ts";
import { createRouter, type RouteDeps } from "../context.ts";
import { unknownCapability } from "../problem.ts";
import { capabilitySummarySchema, contractSchema } from "../schemas/capability.ts";
import {
  capabilityNameSchema,
  createIdSchema,
  pageLimitSchema,
  requireAnyScope,
  toJsonResponse,
  toProblemResponses,
} from "../schemas/common.ts";

const rulingParameter = z.enum(["true"]).optional().openapi({
  description: "Includes how policy rules on your calls.",
});

const listCapabilities = createRoute({
  operationId: "listCapabilities",
  method: "get",
  path: "/v1/capabilities",
  tags: ["Capabilities"],
  summary: "List capabilities that you can request",
  description: "Includes every capability that policy can allow you to request. Agents see no `admin.*`.",
  security: requireAnyScope("read", "calls"),
  request: {
    query: z.object({
      limit: pageLimitSchema,
      after: capabilityNameSchema.optional().openapi({ description: "The `next` of the previous page." }),
      adapter: createIdSchema("files")
        .optional()
        .openapi({ description: "Only capabilities of this adapter." }),
      ruling: rulingParameter,
    }),
  },
  responses: {
    200: toJsonResponse(
      z.object({ capabilities: z.array(capabilitySummarySchema), next: z.string().optional() }),
      "Capabilities, by name. `next` is present if there are more.",
    ),
    ...toProblemResponses("parameter-invalid", "not-authenticated", "scope-missing"),
  },
});

const getCapability = createRoute({
  operationId: "getCapability",
  method: "get",
  path: "/v1/capabilities/{name}",
  tags: ["Capabilities"],
  summary: "Get the contract of a capability",
  description: "Includes the JSON Schemas of its input and output.",
  security: requireAnyScope("read", "calls"),
  request: {
    params: z.object({ name: capabilityNameSchema }),
    query: z.object({ ruling: rulingParameter }),
  },
  responses: {
    200: toJsonResponse(contractSchema, "The contract."),
    ...toProblemResponses("parameter-invalid", "not-authenticated", "scope-missing", "capability-unknown"),
  },
});

export const capabilityOperations = [listCapabilities, getCapability];

export function createCapabilityRoutes({ service }: RouteDeps) {
  const rule = ({ principal }: Caller, { contract }: KnownCapability) => {
    const expected = service.expectRuling(principal, contract);
    return expected && { ruling: { ...expected, policies: [...expected.policies] } };
  };
  return createRouter()
    .openapi(listCapabilities, (c) => {
      const { limit, after = "", adapter, ruling } = c.req.valid("query");
      const { caller } = c.var;
      // A key that may read sees everything that its principal may request. A narrower key sees only the capabilities
      // in its scopes.
      const canRead = caller.scopes === undefined || caller.scopes.includes("read");
      const within = ({ contract }: KnownCapability) =>
        (adapter === undefined || adapterName(contract) === adapter) &&
        (canRead || hasCapabilityScope(caller, contract.name));
      const all = service.listAllowedCapabilities(caller.principal);
      const from = all.findIndex(({ contract }) => contract.name > after);
      const found: KnownCapability[] = [];
      for (let at = from; at >= 0 && at < all.length && found.length <= limit; at += 1)
        if (within(all[at]!)) found.push(all[at]!);
      const page = found.slice(0, limit);
      const next = found.length > limit ? page.at(-1)!.contract.name : undefined;
      return c.json(
        {
          capabilities: page.map((one) => ({
            ...toCapabilitySummary(one),
            ...(ruling && rule(caller, one)),
          })),
          ...(next !== undefined && { next }),
        },
        200,
      );
    })
    .openapi(getCapability, (c) => {
      const { name } = c.req.valid("param");
      const { principal } = c.var.caller;
      const found = service.findCapability(principal.tenant, name);
      // People may read every contract, because they decide about the requests of others.
      const isHidden =
        principal.kind !== "person" && !isOffered(name, service.listAllowedCapabilities(principal));
      if (!found || isHidden) throw unknownCapability();
      const { contract, contractDigest } = found;
      const view = { ...(contract as unknown as z.input<typeof contractSchema>), contractDigest };
      return c.json({ ...view, ...(c.req.valid("query").ruling && rule(c.var.caller, found)) }, 200);
    });
}

function isOffered(name: string, offered: readonly KnownCapability[]): boolean {
  return offered.some(({ contract }) => contract.name === name);
}

function toCapabilitySummary({ contract, contractDigest, unavailable }: KnownCapability) {
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
