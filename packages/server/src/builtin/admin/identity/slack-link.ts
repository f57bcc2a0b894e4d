import type { Capability } from "@paraph/core";
import { escapeInvisible } from "@paraph/core/escape-invisible";
import { z } from "zod";
import type { Administration } from "../administration.ts";
import { createRefusal, defineAdminCapability } from "../define-admin-capability.ts";
import { principalIdInput, slackIdInput, slackNameInput } from "../input-schemas.ts";

/**
 * Creates `admin.slack_link`. Every person may request it for themselves, and only for themselves. As with a passkey, the
 * link works only after its approval, so a stolen session alone cannot give another account a person's votes.
 */
export function createSlackLinkCapability({ slack, people }: Administration): Capability {
  const requireOwn = (requester: string, person: string) => {
    if (requester !== person)
      throw createRefusal("slack-not-yours", "People can link a Slack account only to themselves.");
  };
  return defineAdminCapability({
    verb: "slack_link",
    summary: "Link a Slack account for decisions",
    risk: "high",
    role: "any",
    input: z.strictObject({
      person: principalIdInput,
      team: slackIdInput.describe("id of the Slack workspace"),
      account: slackIdInput.describe("id of the Slack account"),
      teamName: slackNameInput.describe("name of the workspace, as Slack shows it"),
      accountName: slackNameInput.describe("name of the account, as Slack shows it"),
    }),
    output: z.object({ person: z.string(), team: z.string(), account: z.string() }),
    preview: async ({ person, team, account, teamName, accountName }, { tenant, principal }) => {
      requireOwn(principal.id, person);
      if ((await people.find(tenant, person))?.kind !== "person")
        throw createRefusal("principal-unknown", `There is no person \`${person}\`.`);
      const there = await slack.find(tenant, person);
      const name = escapeInvisible(accountName);
      const replaced = there ? ` It replaces the account "${escapeInvisible(there.accountName)}".` : "";
      return {
        changes: [
          {
            kind: "create",
            target: `Slack account "${name}" of ${person}`,
            summary: `With this account in the workspace "${escapeInvisible(teamName)}", ${person} decides in Slack. Ask ${person} in person whether the account is theirs.${replaced}`,
            details: { team, account },
          },
        ],
        basis: null,
      };
    },
    apply: async ({ person, team, account, teamName, accountName }, { tenant, principal }) => {
      requireOwn(principal.id, person);
      if ((await slack.link(tenant, { person, team, account, teamName, accountName })) === "taken")
        throw createRefusal("slack-account-taken", "This Slack account is linked to another person.");
      return { person, team, account };
    },
  });
}
