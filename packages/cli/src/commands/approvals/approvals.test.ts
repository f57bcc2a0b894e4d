// Tests the approval commands other than approve and deny, against a complete Paraph.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { defineCapability, type Probe } from "@paraph/core";
import { afterAll, beforeEach, expect, it } from "vitest";
import { z } from "zod";
import { approveByFingerprint } from "../../../../../test/support/approve-by-fingerprint.ts";
import { TestParaph } from "../../../../../test/support/servers/test-paraph.ts";

const outside = { lose: false, basis: 0, found: { kind: "unsure" } as Probe, sent: [] as string[] };
const send = defineCapability({
  name: "mail.send",
  version: 1,
  summary: "Send a letter",
  effect: "write",
  idempotency: "probe",
  input: z.object({ to: z.string(), copies: z.int().default(1) }),
  output: z.object({}),
  retry: { retries: 0 },
  preview: async ({ to }) => ({ changes: [{ kind: "send", target: to }], basis: outside.basis }),
  apply: async ({ to }) => {
    if (outside.lose) throw Object.assign(new Error("reset"), { code: "ECONNRESET" });
    outside.sent.push(to);
    return {};
  },
  probe: async () => outside.found,
});

const post = defineCapability({
  name: "own.post",
  version: 1,
  summary: "Post a note from the agent's own process",
  effect: "write",
  idempotency: "none",
  performer: "agent",
  input: z.object({}),
  output: z.object({}),
});

const paraph = await TestParaph.start(
  {
    capabilities: [send, post],
    rules: [
      { capability: "mail.send", when: { "input.to": { oneOf: ["payroll"] } }, ask: true, people: 2 },
      { capability: "mail.send", when: { "input.to": { is: "vault" } }, ask: true, proof: "passkey" },
    ],
  },
  [
    { tenant: "acme", id: "owner", kind: "person" },
    { tenant: "acme", id: "ana", kind: "person" },
    { tenant: "acme", id: "bo", kind: "person" },
    { tenant: "acme", id: "bot", kind: "agent", owner: "owner" },
  ],
);
afterAll(() => paraph.stop());
beforeEach(() => {
  outside.lose = false;
});
const run = (...args: string[]) => paraph.cli({ person: "ana", agent: "bot" }, ...args);
const data = async (...args: string[]) => JSON.parse((await run(...args, "--json")).stdout);

async function ask(to: string): Promise<{ call: string; approval: string }> {
  const { body } = await paraph.request("bot", "POST", "/v1/calls", {
    capability: "mail.send",
    input: { to },
  });
  return { call: body.call, approval: body.approval.id };
}

async function lost(to: string): Promise<string> {
  const { call } = await ask(to);
  outside.lose = true;
  const approved = await approveByFingerprint(run, call);
  expect(approved).toMatchObject({
    code: 9,
    stderr: expect.stringContaining("The call may or may not have taken effect"),
  });
  expect(approved.stderr).toContain(`paraph resolve ${call} not-happened --reason`);
  outside.lose = false;
  return call;
}

it("without a terminal, `approve last` says that nothing is open, or names the approval to review", async () => {
  expect((await run("approve", "last")).stderr).toContain("There are no open approvals.");
  const { call, approval } = await ask("abe");
  expect(await run("approve", "last")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`paraph approval ${approval}`),
  });
  await run("deny", call, "--yes");
});

it("[P6] `edit` keeps JSON types, rejects input that does not fit, and links the call to its replacement", async () => {
  const { call, approval } = await ask("ann");
  expect(await run("edit", approval)).toMatchObject({ code: 2, stderr: expect.stringContaining("--input") });
  const unfit = await run("edit", approval, "--input", '{"to":"bea","copies":"two"}');
  expect(unfit).toMatchObject({ code: 1, stderr: expect.stringMatching(/does not fit `mail.send`: copies/) });
  const edited = await run("edit", call, "--input", '{"to":"bea","copies":2}', "--reason", "ann has moved");
  expect(edited).toMatchObject({ code: 0, stdout: "", stderr: expect.stringContaining("send bea") });
  const next = /call_\w+/.exec(edited.stderr)![0];

  const story = await run("show", call);
  expect(story.stdout).toMatch(new RegExp(`edited by +ana\\n +replaced by +${next}`));
  expect(story.stderr).toContain(`paraph show ${next}`);
  expect(await approveByFingerprint(run, call)).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("This approval is void"),
  });
  expect(await data("show", next)).toMatchObject({ supersedes: call, input: { to: "bea", copies: 2 } });
  await run("deny", next, "--yes");
});

it("[TRUST 1] `--yes` needs a named request and its fingerprint, and never approves another request", async () => {
  const seen = await ask("fay");
  const { fingerprint, digest } = await data("approval", seen.approval);
  const other = await ask("gus");
  const approve = (...args: string[]) => run("approve", ...args, "--yes");
  for (const args of [["last"], [seen.approval], ["last", "--fingerprint", fingerprint]])
    expect(await approve(...args)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--fingerprint"),
    });
  for (const short of ["", "0", digest.slice(0, 15), digest.slice(0, 17), "zz"])
    expect(await approve(seen.approval, "--fingerprint", short)).toMatchObject({ code: 2 });
  expect(await approve(other.approval, "--fingerprint", fingerprint)).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("nothing was decided"),
  });
  expect(outside.sent).toEqual([]);
  expect(await approve(seen.call, "--fingerprint", fingerprint.toUpperCase())).toMatchObject({ code: 0 });
  expect(outside.sent.splice(0)).toHaveLength(1);
  expect((await run("approvals")).stdout).toContain(
    (await data("approval", other.approval)).digest.slice(0, 16),
  );
  await run("deny", other.approval, "--yes");
});

it("`approvals` and `approvals --json` spell a fingerprint without spaces, and `approve` accepts it with and without", async () => {
  for (const spell of [(text: string) => text, (text: string) => text.replaceAll(/.{4}(?=.)/g, "$& ")]) {
    const { approval } = await ask("una");
    const [{ fingerprint }] = (await data("approvals")).approvals;
    expect(fingerprint).toMatch(/^[0-9a-f]{16}$/);
    expect((await run("approvals")).stdout).toMatch(
      new RegExp(`^APPROVAL .*\\n${approval} +${fingerprint} `),
    );
    expect(await run("approve", approval, "--fingerprint", spell(fingerprint), "--yes")).toMatchObject({
      code: 0,
    });
  }
  outside.sent.splice(0);
});

it("[P5] `approve` says that the preview changed since the approval, and names the command for the new one", async () => {
  const { call, approval } = await ask("ivy");
  outside.basis += 1;
  const { code, stderr } = await approveByFingerprint(run, call);
  expect(code).toBe(8);
  expect(stderr).toMatch(/^The underlying data changed\. Nothing was done, and a new approval is needed\.\n/);
  const next = /paraph approve (ask_\w+)/.exec(stderr)![1]!;
  expect(next).not.toBe(approval);
  expect((await run("approval", next)).stdout).toContain("The underlying data changed. Earlier votes");
  expect(outside.sent).toEqual([]);
  await run("deny", next, "--yes");
});

it("`approve` says that the vote is recorded, and whose votes count so far, if more people must approve", async () => {
  const { call } = await ask("payroll");
  const first = await approveByFingerprint(run, call);
  expect(first.code).toBe(8);
  expect(first.stderr).toMatch(
    /^Your approval is recorded\. Approved so far: ana\. Policy requires .*2 people.*\. Another person has to approve it\.\n/,
  );
  // A further vote of the same person does not help, so `approve` suggests no such command.
  expect(first.stderr).not.toContain("paraph approve");
  expect(first.stderr).toContain(`${paraph.url}/approvals/ask_`);
  expect(first.stderr).toContain(`paraph show ${call}`);
  expect((await run("approval", call)).stdout).toMatch(/approved +by ana, for policy rule-1-/);
  expect((await run("approvals")).stdout).toMatch(/ decided already +mail\.send/);
  await run("deny", call, "--yes");
});

it("[P11] `approve` succeeds if the agent performs the call itself, because nothing is left to approve", async () => {
  const { body } = await paraph.request("bot", "POST", "/v1/calls", { capability: "own.post", input: {} });
  expect(await approveByFingerprint(run, body.call)).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("waiting for the agent to perform it"),
  });
});

it("`return` requires instructions, `deny` accepts a reason, and neither has an effect", async () => {
  const { approval } = await ask("carl");
  expect(await run("return", approval)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--instructions"),
  });
  const returned = await run("return", approval, "--instructions", "Ask carl first.", "--yes");
  expect(returned).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("instructions: Ask carl first."),
  });
  const other = await ask("dan");
  expect(await run("deny", other.approval)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`paraph approval ${other.approval}\`, then pass \`--yes\`.`),
  });
  const denied = await run("deny", other.approval, "--yes", "--reason", "No letters to dan.");
  expect(denied.stderr).toMatch(/denied.*reason: No letters to dan\.\n {2}Nothing was done\./s);
  expect(outside.sent).toEqual([]);
});

it("`show` displays the reason of an approval, and `receipt` saves the call's receipt", async () => {
  const { call } = await ask("eve");
  const approved = await approveByFingerprint(run, call, "--reason", "She waits for it.");
  expect(approved).toMatchObject({ code: 0, stderr: expect.stringContaining("succeeded") });
  const { stdout } = await run("show", call);
  expect(stdout).toMatch(/reason +She waits for it\./);
  expect(stdout).toContain("ana approves, with a reason");
  const saved = await run("receipt", call, "-o", "receipt.json");
  expect(saved.stderr).toMatch(/^Wrote receipt\.json /);
  expect((await run("receipt", call, "-o", "receipt.json")).stderr).toMatch(/^Replaced receipt\.json /);
  expect(saved.stderr).toContain("paraph verify receipt.json --key KEYS.json");
  expect(saved.stderr).toContain("verify it offline with the server's public keys (GET /v1/keys)");
  expect(JSON.parse(await readFile(join(paraph.folder, "receipt.json"), "utf8"))).toHaveProperty("envelope");
});

it("`withdraw` cancels a waiting call, and refuses a call that has ended", async () => {
  const { call } = await ask("finn");
  const gone = await run("withdraw", call, "--reason", "not needed");
  expect(gone).toMatchObject({ code: 0, stderr: expect.stringMatching(/cancelled.*Nothing was done\./s) });
  expect(await run("withdraw", call)).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("has ended"),
  });
  // A person withdraws their own request too.
  const input = { to: "payroll" };
  const { body: own } = await paraph.request("ana", "POST", "/v1/calls", { capability: "mail.send", input });
  expect(own.state).toBe("asking");
  // The approvals that ana can decide come first, although her own request is newer.
  const { call: older } = await ask("pat");
  const listed = await run("approvals");
  expect(listed.stdout).toMatch(
    /can approve +mail\.send +Send to pat +bot.*\n.* own request +mail\.send +Send to payroll +ana/,
  );
  await run("deny", older, "--yes");
  for (const decision of ["approve", "deny"])
    expect(
      await run(decision, own.approval.id, "--yes", "--fingerprint", own.approval.fingerprint),
    ).toMatchObject({
      code: 3,
      stderr: expect.stringContaining(`run \`paraph withdraw ${own.call}\``),
    });
  expect(await run("withdraw", own.call)).toMatchObject({ code: 0 });
});

it("`comments` lists a question, the agent's answer and a comment on a call", async () => {
  const { call, approval } = await ask("gus");
  expect(await run("comments", call)).toMatchObject({ code: 0, stderr: "There are no comments yet.\n" });
  const told = { code: 0, stderr: "Paraph has told no one about this call.\n" };
  expect(await run("notices", call)).toMatchObject(told);
  await paraph.database.query(
    `insert into paraph.notice (tenant, id, channel, kind, recipient, call, approval, seq, urgency, state, code, at, next_at, sent_at, opened_at)
     values ('acme', 'n1', 'mail', 'request', 'ana', $1, $2, 1, 0, 'sent', null, now(), now(), '2026-03-01T09:30Z', '2026-03-01T09:41Z'),
            ('acme', 'n2', 'mail', 'request', 'bo', $1, $2, 1, 0, 'given-up', 'smtp-550', now(), now(), null, null)`,
    [call, approval],
  );
  expect((await run("notices", call)).stdout.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
    ["PERSON", "NOTICE", "CHANNEL", "STATE", "SENT", "OPENED"],
    ["ana", "request", "mail", "sent", "2026-03-01 09:30:00 UTC", "2026-03-01 09:41:00 UTC"],
    ["bo", "request", "mail", "given up (smtp-550)"],
    [""],
  ]);
  await run("comments", call, "--ask", "Why gus?");
  await run("comments", call, "--answer", "He\u202e asked.");
  const { stdout } = await run("comments", call, "--add", "Fine.");
  expect(stdout.replaceAll(/, \d{4}-.*UTC/g, "")).toBe(
    "ana, question\n  Why gus?\nbot, answer\n  He<U+202E> asked.\nana, comment\n  Fine.\n",
  );
  expect((await run("show", call)).stdout).toMatch(/ana asks .*bot answers .*ana comments /s);
  await run("deny", approval, "--yes");
});

it("[P7] an unknown outcome is listed, probed and resolved on record, and retried only after `not-happened`", async () => {
  expect(await run("calls", "--unknown")).toMatchObject({
    code: 0,
    stderr: "No call has an unknown outcome.\n",
  });
  const call = await lost("hal");
  expect((await run("calls", "--unknown")).stdout).toMatch(
    new RegExp(`^CALL.*\\n${call} +mail\\.send +Send to hal +bot`),
  );
  expect(await run("probe", call)).toMatchObject({
    code: 9,
    stderr: expect.stringContaining("cannot tell"),
  });
  expect(await run("retry", call)).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("Resolve it first"),
  });
  expect(await run("resolve", call, "perhaps", "--reason", "x")).toMatchObject({ code: 2 });
  expect(await run("resolve", call, "not-happened")).toMatchObject({ code: 2 });
  const resolved = await run("resolve", call, "not-happened", "--reason", "hal has nothing");
  expect(resolved).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("ana found that it did not happen."),
  });
  expect(resolved.stderr).not.toContain("may or may not have taken effect");
  expect((await run("show", call)).stdout).toMatch(/resolution +ana found that it did not happen/);
  expect(await run("retry", call)).toMatchObject({
    code: 8,
    stderr: expect.stringContaining("waiting for approval"),
  });

  const other = await lost("ian");
  outside.found = { kind: "present", output: {} };
  expect(await run("probe", other)).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("The external system reports: happened"),
  });
  expect(await run("probe", other)).toMatchObject({ code: 3 });
  expect((await run("calls", "--unknown")).stderr).toBe("No call has an unknown outcome.\n");
});

it("[TRUST 12] `delegate` appoints a delegate until a given time, and `delegations` lists and ends it", async () => {
  expect(await run("delegate", "bo", "--until", "tomorrow")).toMatchObject({ code: 2 });
  const until = `${new Date(Date.now() + 30 * 24 * 3_600_000).toISOString().slice(0, 10)}T09:00Z`;
  const told = `bo is the delegate of ana until ${until.slice(0, 10)} 09:00:00 UTC.\n`;
  expect(await run("delegate", "bo", "--until", until)).toMatchObject({ code: 0, stderr: told });
  expect(await run("delegate", "nobody", "--until", until)).toMatchObject({ code: 1 });
  expect(await run("delegate", "bo", "--until", "2099-03-08")).toMatchObject({ code: 1 });

  const { delegations } = await data("delegations");
  expect(delegations).toMatchObject([{ person: "ana", delegate: "bo" }]);
  const [{ delegation }] = delegations;
  expect((await run("delegations")).stdout).toMatch(new RegExp(`${delegation} +ana +bo `));
  const ended = `The delegation ${delegation} has ended.\n`;
  expect(await run("delegations", "end", delegation)).toMatchObject({ code: 0, stderr: ended });
  expect(await run("delegations", "end", delegation)).toMatchObject({ code: 1 });
  expect((await run("delegations")).stderr).toBe("There are no delegations.\n");
});

it("`reassign` lets another person vote in your place", async () => {
  const { call, approval } = await ask("hal");
  expect(await run("reassign", approval, "owner")).toMatchObject({ code: 3 });
  expect(await run("reassign", call, "bo")).toMatchObject({
    code: 0,
    stderr: `bo now votes on ${approval} in your place.\n`,
  });
  expect(await approveByFingerprint(run, call)).toMatchObject({ code: 3 });
  await run("withdraw", call);
});

it("[TRUST 19] `approvals` shows a flood of requests as one line, with a link to decide on all of them", async () => {
  for (let n = 0; n < 7; n += 1) await ask(`reader-${n}`);
  const { stdout, stderr } = await run("approvals");
  expect(stdout).toMatch(/^bot has 8 open requests for mail\.send; the newest is ask_\w+\n$/);
  expect(stderr).toContain(`${paraph.url}/approvals/bundle?principal=bot&capability=mail.send`);
});

it("[TRUST 27] `paraph approve` says that a passkey is needed and names the page; a denial needs none", async () => {
  const { approval } = await ask("vault");
  const refused = await run("approve", approval, "--yes", "--fingerprint", "0".repeat(16));
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toMatch(
    new RegExp(`Your approval needs a passkey.*http://[^ ]+/approvals/${approval} and approve there`),
  );
  expect((await run("passkeys")).stderr).toMatch(/There are no passkeys\. Enrol one at http:.*\/passkeys/);
  expect((await run("deny", approval, "--yes")).code).toBe(0);
});
