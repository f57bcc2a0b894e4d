import { type Capability, type Principal, roles } from "@paraph/core";
import { z } from "zod";
import type { Administration } from "../administration.ts";
import { createRefusal, defineAdminCapability } from "../define-admin-capability.ts";
import { principalIdInput, reasonInput } from "../input-schemas.ts";

/**
 * Creates `admin.slack_unlink`, for administrators and for the account's own person. It only tightens access, so it needs
 * no approval.
 */
export function createSlackUnlinkCapability({ slack }: Administration): Capability {
  const requireRight = (principal: Principal, person: string) => {
    if (person !== principal.id && !principal.groups?.includes(roles.admins))
      throw createRefusal(
        "slack-not-yours",
        "Only an administrator can unlink another person's Slack account.",
      );
  };
  return defineAdminCapability({
    verb: "slack_unlink",
    summary: "Unlink a Slack account",
    risk: "low",
    role: "any",
    input: z.strictObject({ person: principalIdInput, reason: reasonInput.optional() }),
    output: z.object({ person: z.string() }),
    preview: async ({ person }, { tenant, principal }) => {
      requireRight(principal, person);
      const there = await slack.find(tenant, person);
      if (!there) throw createRefusal("slack-account-unknown", `\`${person}\` has no linked Slack account.`);
      const summary = `${person} can no longer decide in Slack.`;
      return {
        changes: [{ kind: "delete", target: `Slack account ${there.account} of ${person}`, summary }],
        basis: null,
      };
    },
    apply: async ({ person }, { tenant, principal }) => {
      requireRight(principal, person);
      await slack.unlink(tenant, person);
      return { person };
    },
  });
}
