// The way of a request by mail through real mail servers: Postfix, Dovecot and signed mails.
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { defineCapability, type Principal, type PublicKey, verifyReceipt } from "@paraph/core";
import { mail } from "@paraph/server";
import { simpleParser } from "mailparser";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFailed } from "vitest";
import { z } from "zod";
import { type GitHost, startGitHost } from "../../packages/adapters/src/git/test-host.ts";
import { createGitFixture, type GitFixture, runUserGit } from "../../packages/adapters/src/git/testing.ts";
import { receiveByImap } from "../../packages/server/src/channels/mail/in/imap.ts";
import {
  createOwnKey,
  listSigners,
  resolveDns,
  writeMail,
} from "../../packages/server/src/channels/mail/in/testing/draft.ts";
import { hasPostfixAndDovecot, PostfixDovecot } from "../support/servers/postfix-dovecot.ts";
import { TestParaph } from "../support/servers/test-paraph.ts";

const tenant = "acme";
const [ana, bo, agent, paraphAddress] = [
  "ana@example.com",
  "bo@example.com",
  "agent@paraph.example",
  "paraph@paraph.example",
];
const closed: string[] = [];
const close = defineCapability({
  name: "tickets.close",
  version: 1,
  summary: "Close a ticket",
  effect: "write",
  risk: "low",
  idempotency: "natural",
  input: z.object({ ticket: z.string(), reason: z.string() }),
  output: z.object({}),
  headline: ({ ticket }) => `Close ${ticket}`,
  preview: async ({ ticket, reason }) => ({
    changes: [{ kind: "update", target: ticket, summary: `Close: ${reason}` }],
    basis: null,
  }),
  apply: async ({ ticket }) => {
    closed.push(ticket);
    return {};
  },
});
const person = (id: string): Principal => ({ tenant, id, kind: "person", groups: ["support"] });

describe.runIf(hasPostfixAndDovecot)("a request in a mail of a linked person", () => {
  let servers: PostfixDovecot;
  let host: GitHost;
  let repository: GitFixture;
  let paraph: TestParaph;
  const authorities = getCACertificates("default");

  beforeAll(async () => {
    repository = await createGitFixture();
    host = await startGitHost(repository.base);
    await repository.open({ remotes: { origin: { url: host.url } } });
    servers = await PostfixDovecot.start([ana, bo, agent, paraphAddress]);
    setDefaultCACertificates([...authorities, servers.authority]);
    const { privateKey, ...dkim } = createOwnKey();
    const options = {
      from: paraphAddress,
      smtp: { url: servers.submissionUrl, user: paraphAddress, secret: "smtp" },
      dkim: { ...dkim, secret: "dkim" },
      // One address and one mailbox serve replies to approvals and requests.
      replies: { address: agent, imap: { url: servers.imapUrl, user: agent, secret: "imap" } },
      requests: { tenant, address: agent, allow: ["@example.com"] },
    };
    paraph = await TestParaph.start(
      {
        policy: "permissive",
        capabilities: [close, repository.capability("push")],
        rules: [
          { capability: "tickets.close", ask: "support", reply: "approve" },
          { capability: "git.push", ask: "support", reply: "approve" },
        ],
        channels: [{ ...mail(options), receive: (context) => receiveByImap(options, context, resolveDns) }],
      },
      [person("ana"), person("bo")],
      { "deployment/smtp": "secret", "deployment/dkim": privateKey, "deployment/imap": "secret" },
    );
    for (const [id, address] of [
      ["ana", ana],
      ["bo", bo],
    ])
      await paraph.database.query("select paraph.contact_set($1, $2, 'mail', $3, 'administration')", [
        ...[tenant, id, address],
      ]);
  });
  beforeEach(() => {
    onTestFailed(async () => console.error(await servers.readLogs()));
  });
  afterAll(async () => {
    await paraph?.stop();
    await servers?.stop();
    await host?.[Symbol.asyncDispose]();
    await repository?.[Symbol.asyncDispose]();
    setDefaultCACertificates(authorities);
  });

  const thread = "<first@example.com>";
  /** Returns the newest of the mails of a user that contain a text, once there are this many. */
  async function readMail(user: string, text: string, count: number) {
    const raws = await servers.waitForMails(user, text, count);
    return { raw: raws.at(-1)!, ...(await simpleParser(raws.at(-1)!)) };
  }
  /** Sends a signed mail, as the server of the sender's domain does. */
  async function send(from: string, to: string, text: string, messageId?: string) {
    const raw = await writeMail({ from, to, text, subject: "A request", ...(messageId && { messageId }) });
    await servers.deliver(raw, from, to);
  }
  const replyTo = ({ replyTo }: Awaited<ReturnType<typeof readMail>>) => replyTo?.value[0]?.address ?? "";

  it("[TRUST 3] gets a question, a plan, a decision, and an outcome with a receipt that verifies", async () => {
    await send(ana, agent, "Close the ticket T-12", thread);
    const question = await readMail(ana, thread, 1);
    expect(question.text).toContain("What is `reason`?");
    expect(await listSigners(question.raw)).toEqual(["paraph.example"]);

    await send(ana, replyTo(question), "Solved by phone\n\n> Some facts are missing");
    const plan = await readMail(ana, thread, 2);
    expect(plan.text).toContain("Close T-12");

    await send(ana, replyTo(plan), "confirm");
    const approval = await readMail(bo, "Waiting for your decision", 1);
    expect(closed).toEqual([]);
    await send(bo, replyTo(approval), "approve");

    const outcome = await readMail(ana, thread, 3);
    expect(outcome).toMatchObject({ subject: "Re: A request", inReplyTo: thread });
    expect(outcome.text).toContain("Approved by bo. The call succeeded.");
    expect(closed).toEqual(["T-12"]);
    const receipt = JSON.parse(outcome.attachments[0]!.content.toString("utf8"));
    const keys = (await paraph.request("ana", "GET", "/v1/keys")).body.keys as PublicKey[];
    const { story } = await verifyReceipt(receipt, keys);
    expect(story.outcome.kind).toBe("succeeded");
  });

  it("[TRUST 3] pushes a branch after another person approved on the page, because a mail does not show all of it", async () => {
    const thread = "<push@example.com>";
    await send(ana, agent, "Push the branch main", thread);
    const plan = await readMail(ana, thread, 1);
    await send(ana, replyTo(plan), "confirm");
    const request = await readMail(bo, "Waiting for your decision", 2);
    expect(request.subject).toContain("Push to origin/main");
    await send(bo, replyTo(request), "approve");
    const answer = await readMail(bo, "Your reply had no effect", 1);
    expect(answer.text).toContain("The mail did not show every change");
    const listBranches = () => runUserGit(host.folder, "branch", "--format=%(refname:short) %(objectname)");
    expect(listBranches()).toBe("");

    const [open] = (await paraph.request("ana", "GET", "/v1/calls?state=open")).body.calls;
    const { waiting } = (await paraph.request("bo", "GET", `/v1/calls/${open.call}`)).body;
    const { id, digest } = waiting.approval;
    const path = `/v1/approvals/${id}/decision`;
    expect(await paraph.request("bo", "POST", path, { decision: "approve", digest })).toMatchObject({
      status: 200,
    });
    const outcome = await readMail(ana, thread, 2);
    expect(outcome.text).toContain("Approved by bo. The call succeeded.");
    expect(listBranches()).toBe(`main ${repository.git("rev-parse", "main")}`);
  });
});
