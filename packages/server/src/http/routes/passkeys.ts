import { createRoute, z } from "@hono/zod-openapi";
import { formatKeyFingerprint } from "../../passkeys/public-key.ts";
import { createRouter, type RouteDeps } from "../context.ts";
import { isAuditorOrAdmin, requireAuditor } from "../middleware/require-auditor.ts";
import { requireAnyScope, toJsonResponse, toProblemResponses } from "../schemas/common.ts";
import { passkeySchema } from "../schemas/people.ts";
import { toIso } from "../views/call-view.ts";

const listPasskeys = createRoute({
  operationId: "listPasskeys",
  method: "get",
  path: "/v1/passkeys",
  tags: ["People"],
  summary: "List enrolled passkeys",
  description:
    "Administrators and auditors read all passkeys. Everyone else reads their own. People enrol passkeys on the page `/passkeys`.",
  security: requireAnyScope("read", "decide"),
  request: { query: z.object({ person: z.string().min(1).max(255).optional() }) },
  responses: {
    200: toJsonResponse(z.object({ passkeys: z.array(passkeySchema) }), "The passkeys, the oldest first."),
    ...toProblemResponses("parameter-invalid", "not-authenticated", "scope-missing", "role-missing"),
  },
});

export const passkeyOperations = [listPasskeys];

export function createPasskeyRoutes({ service }: RouteDeps) {
  return createRouter().openapi(listPasskeys, async (c) => {
    const reader = c.get("principal");
    const { person } = c.req.valid("query");
    if (person !== undefined && person !== reader.id) requireAuditor(reader);
    const found = await service.passkeys.list(reader, isAuditorOrAdmin(reader) ? person : reader.id);
    const passkeys = found.map(({ credential, person, label, publicKey, createdAt, usedAt }) => ({
      credential,
      person,
      label,
      publicKey,
      fingerprint: formatKeyFingerprint(publicKey),
      createdAt: toIso(createdAt),
      ...(usedAt !== undefined && { usedAt: toIso(usedAt) }),
    }));
    return c.json({ passkeys }, 200);
  });
}
