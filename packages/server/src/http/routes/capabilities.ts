import { createRoute, z } from "@hono/zod-openapi";
import { type Parts, router } from "../context.ts";
import { unknownCapability } from "../problem.ts";
import { capabilitySummary, contract as contractSchema } from "../schemas/capability.ts";
import { capabilityName, json, needs, problemResponses } from "../schemas/common.ts";

const listCapabilities = createRoute({
  operationId: "listCapabilities",
  method: "get",
  path: "/v1/capabilities",
  tags: ["Capabilities"],
  summary: "What can be asked for",
  security: needs("read", "calls"),
  responses: {
    200: json(z.object({ capabilities: z.array(capabilitySummary) }), "Every capability, by name."),
    ...problemResponses("not-authenticated", "scope-missing"),
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
      const capabilities = service.capabilities().map(({ contract, contractDigest }) => {
        const { name, version, summary, effect, risk, previews, performer } = contract;
        const own = performer && { performer };
        return { name, version, summary, effect, risk, previews, ...own, contractDigest };
      });
      return c.json({ capabilities }, 200);
    })
    .openapi(getCapability, (c) => {
      const { name } = c.req.valid("param");
      const found = service.capabilities().find(({ contract }) => contract.name === name);
      if (!found) throw unknownCapability();
      const { contract, contractDigest } = found;
      return c.json({ ...(contract as unknown as z.input<typeof contractSchema>), contractDigest }, 200);
    });
}
