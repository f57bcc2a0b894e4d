import type { Capability } from "@paraph/core";
import { z } from "zod";
import type { Administration } from "./administration.ts";
import { administrative, refused } from "./administrative.ts";
import { principalId, reason } from "./names.ts";
import { counted } from "./words.ts";

/** [TRUST 33] It tightens, so nobody is waited for. */
export function sessionsEnd({ people }: Administration): Capability {
  return administrative({
    verb: "sessions_end",
    summary: "End a person's browser sessions",
    risk: "low",
    input: z.strictObject({ principal: principalId, reason: reason.optional() }),
    output: z.object({ principal: z.string(), ended: z.int() }),
    preview: async ({ principal }, { tenant }) => {
      const found = await people.find(tenant, principal);
      if (found?.kind !== "person")
        throw refused("principal-unknown", `There is no person \`${principal}\`.`);
      const { sessions } = await people.access(tenant, principal);
      const summary = `${counted(sessions, "session")} end. API keys stay in force, and the person can log in again.`;
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
