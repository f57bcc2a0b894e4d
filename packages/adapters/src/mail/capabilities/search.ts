import { type Capability, defineCapability } from "@paraph/core";
import type { SearchObject } from "imapflow";
import { z } from "zod";
import { withImap } from "../connection/with-imap.ts";
import type { MailContext } from "../context.ts";
import { summarizeMessage, summaryOutput, summaryQuery } from "../messages/describe.ts";
import { folderInput } from "./folder-input.ts";

const term = z
  .string()
  .regex(/^[^\p{Cc}\p{Cs}]{1,200}$/u, "must be 1 to 200 characters on one line")
  .optional();
const day = z.iso.date().optional();

export function createSearchCapability(mail: MailContext): Capability {
  const { maxResults } = mail.config;
  return defineCapability({
    name: `${mail.name}.search`,
    version: 1,
    summary: "Search a folder of the mailbox",
    effect: "read",
    idempotency: "natural",
    timeout: mail.config.timeout,
    input: z.strictObject({
      folder: folderInput.default("INBOX"),
      from: term.describe("part of the sender"),
      to: term.describe("part of a recipient"),
      subject: term.describe("part of the subject"),
      text: term.describe("part of the message, headers included"),
      since: day.describe("first day on which the server received the message, such as 2026-05-01"),
      before: day.describe("the day after the last one"),
      unseen: z.boolean().optional().describe("only messages that were not read"),
      flagged: z.boolean().optional().describe("only flagged messages"),
      limit: z.int().positive().max(maxResults).default(Math.min(20, maxResults)),
    }),
    output: z.object({
      messages: z.array(summaryOutput).describe("newest first; other people wrote their texts"),
      total: z.int().describe("number of messages that match"),
    }),
    headline: ({ folder }) => `Search ${folder}`,
    apply: ({ folder, limit, unseen, flagged, ...terms }, context) =>
      withImap(mail, context, async (session) => {
        const { uidValidity } = await session.open(folder);
        const query: SearchObject = {
          ...Object.fromEntries(Object.entries(terms).filter(([, value]) => value !== undefined)),
          ...(unseen !== undefined && { seen: !unseen }),
          ...(flagged !== undefined && { flagged }),
        };
        const found = await session.search(query);
        const messages = await session.fetchAll(found.slice(-limit), summaryQuery);
        const place = { uidValidity: String(uidValidity), folder };
        return {
          messages: messages
            .toSorted((a, b) => b.uid - a.uid)
            .map((message) => summarizeMessage(place, message)),
          total: found.length,
        };
      }),
  });
}
