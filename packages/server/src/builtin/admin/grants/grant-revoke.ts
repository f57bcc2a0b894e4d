import type { Capability } from "@paraph/core";
import { z } from "zod";
import type { Administration } from "../administration.ts";
import { createRefusal, defineAdminCapability } from "../define-admin-capability.ts";
import { pluralize } from "../format.ts";
import { reasonInput, recordIdInput } from "../input-schemas.ts";

/**
 * Creates `admin.grant_revoke`. It only tightens access, so it needs no approval. Once it returns, no attempt can start
 * under the grant.
 */
export function createGrantRevokeCapability({ grants }: Administration): Capability {
  return defineAdminCapability({
    verb: "grant_revoke",
    summary: "Revoke a grant",
    risk: "low",
    input: z.strictObject({ grant: recordIdInput, reason: reasonInput.optional() }),
    output: z.object({ grant: z.string() }),
    preview: async (input, { tenant }) => {
      const found = await grants.find(tenant, input.grant);
      if (!found) throw createUnknownGrantError(input.grant);
      if (found.revoked) throw createRefusal("already-revoked", `\`${input.grant}\` is already revoked.`);
      const summary = `${pluralize(found.countLeft, "call")} of ${found.capability} that the grant still allows would need approval again.`;
      return { changes: [{ kind: "delete", target: `grant ${input.grant}`, summary }], basis: null };
    },
    apply: async (input, { tenant, principal }) => {
      if ((await grants.revoke(tenant, input.grant, principal.id)) === "unknown")
        throw createUnknownGrantError(input.grant);
      return { grant: input.grant };
    },
  });
}

const createUnknownGrantError = (id: string) =>
  createRefusal("grant-unknown", `There is no grant \`${id}\`.`);
