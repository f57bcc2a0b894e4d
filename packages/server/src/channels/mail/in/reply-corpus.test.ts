import { describe, expect, it } from "vitest";
import { type Assessment, assessReply } from "./assess-reply.ts";
import { parseMessage } from "./parse-message.ts";
import { automaticCases } from "./testing/automatic-cases.ts";
import { gmailLines, outlookLabels } from "./testing/clients.ts";
import type { CorpusCase } from "./testing/corpus-case.ts";
import { type Draft, writeMail } from "./testing/draft.ts";
import { forgedCases } from "./testing/forged-cases.ts";
import { peopleCases } from "./testing/people-cases.ts";
import { world } from "./testing/world.ts";

/** All mails of the corpus are synthetic: their texts follow public examples of each client. */
const corpus: readonly CorpusCase[] = [...peopleCases, ...forgedCases, ...automaticCases];

function describeVerdict(assessed: Assessment): string {
  return assessed.kind === "act" ? assessed.act.kind : `${assessed.kind}: ${assessed.code}`;
}

async function read(mail: Draft): Promise<string> {
  const raw = await writeMail(mail);
  const message = await parseMessage(raw);
  if (!message) throw new Error("The mail of the corpus cannot be parsed.");
  return describeVerdict(await assessReply({ raw, message }, world));
}

describe("[TRUST 3] a reply by mail", () => {
  it.each(corpus)("$name is read as `$verdict`", async ({ mail, verdict }) => {
    expect(await read(mail)).toBe(verdict);
  });

  it("[TRUST 3] approves only if the approver wrote it for this request: 0 approvals by any other mail", async () => {
    const approvals: CorpusCase[] = [];
    for (const one of corpus) if ((await read(one.mail)) === "approve") approvals.push(one);
    expect(approvals.filter(({ genuine }) => !genuine)).toEqual([]);
    expect(approvals.length).toBeGreaterThan(15);
  });

  it("is covered by at least 80 mails with distinct names, in eight languages", () => {
    expect(new Set(corpus.map(({ name }) => name)).size).toBe(corpus.length);
    expect(corpus.length).toBeGreaterThanOrEqual(80);
    expect(Object.keys(gmailLines)).toEqual(Object.keys(outlookLabels));
    expect(Object.keys(gmailLines).length).toBe(8);
  });
});
