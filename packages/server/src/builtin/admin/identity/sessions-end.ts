import type { Capability } from "@paraph/core";
import { z } from "zod";
import type { Administration } from "../administration.ts";
import { createRefusal, defineAdminCapability } from "../define-admin-capability.ts";
import { pluralize } from "../format.ts";
import { principalIdInput, reasonInput } from "../input-schemas.ts";

/** [TRUST 33] Creates `admin.sessions_end`. It only tightens access, so it needs no approval. */
export function createSessionsEndCapability({ people }: Administration): Capability {
  return defineAdminCapability({
    verb: "sessions_end",
    summary: "End a person's browser sessions",
    risk: "low",
    input: z.strictObject({ principal: principalIdInput, reason: reasonInput.optional() }),
    output: z.object({ principal: z.string(), ended: z.int() }),
    preview: async ({ principal }, { tenant }) => {
      const found = await people.find(tenant, principal);
      if (found?.kind !== "person")
        throw createRefusal("principal-unknown", `There is no person \`${principal}\`.`);
      const { sessions } = await people.countAccess(tenant, principal);
      const summary = `${pluralize(sessions, "session")} end. API keys stay in force, and the person can log in again.`;
      return {
        changes: [{ kind: "delete", target: `sessions of ${principal}`, summary }],
        basis: null,
      };
    },
    apply: async ({ principal }, { tenant }) => ({
      principal,
      ended: await people.endSessions(tenant, principal),
    }),
  });
}
