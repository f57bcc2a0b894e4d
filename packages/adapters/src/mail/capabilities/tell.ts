import type { Capability } from "@paraph/core";
import { z } from "zod";
import type { MailContext } from "../context.ts";
import { createOutgoingCapability } from "./outgoing-capability.ts";
import { textInput, toRecipients } from "./outgoing-input.ts";

/** Creates the capability that tells a group of the configuration what changed, if there are groups. */
export function createTellCapability(mail: MailContext): readonly Capability[] {
  const { groups } = mail.config;
  const names = Object.keys(groups);
  if (names.length === 0) return [];
  return [
    createOutgoingCapability(mail, {
      verb: "tell",
      summary: "Tell a group what changed",
      kind: "send",
      // The news is about the plan, and the approvers of the plan see it.
      sensitive: [],
      input: z.strictObject({
        group: z.enum(names).describe("the group that gets the message"),
        news: textInput.min(1).max(10_000).describe("what to tell the group"),
      }),
      prepare: async ({ group, news }) => ({
        message: {
          ...toRecipients({ to: groups[group]!, cc: [], bcc: [] }),
          subject: toSubject(news),
          text: `${news}\n`,
          attachments: [],
        },
        basis: {},
      }),
    }),
  ];
}

const maxSubjectLength = 150;

/** Returns the first line of the news, without characters that a subject cannot have. */
function toSubject(news: string): string {
  const [line = ""] = news.trim().split("\n");
  const text = [...line.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, "")];
  return text.length > maxSubjectLength
    ? `${text.slice(0, maxSubjectLength - 1).join("")}…`
    : text.join("") || "News";
}
