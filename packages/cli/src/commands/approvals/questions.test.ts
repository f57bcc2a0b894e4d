// Tests the information that the command line, the API and the page show an approver before a decision. The tests run
// against a complete Paraph.
import { checkInput, checkResult, defineCapability } from "@paraph/core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { TestParaph } from "../../../../../test/support/servers/test-paraph.ts";

const send = defineCapability({
  name: "mail.send",
  version: 1,
  summary: "Send a letter",
  effect: "write",
  idempotency: "none",
  input: z.object({ to: z.string(), code: z.string().default("none") }),
  output: z.object({}),
  sensitive: ["code"],
  apply: async () => ({}),
});
const tone = defineCapability({
  name: "check.tone",
  version: 1,
  summary: "Judge the tone",
  effect: "read",
  idempotency: "natural",
  input: checkInput,
  output: checkResult,
  apply: async ({ input }) => {
    const { to, code } = input as { to: string; code: string };
    const sentence = `Rude to ${to}, who has the code ${code}: \u001b[2Kall is well`;
    return { passed: false, score: 12, findings: [{ code: "rude", path: "input.to", sentence }] };
  },
});

const device = { version: 1, effect: "write", idempotency: "natural" } as const;
const nothing = { input: z.object({}), output: z.object({}) };
const devices = [
  defineCapability({
    ...device,
    ...nothing,
    name: "lamp.on",
    summary: "Turn the lamp on",
    apply: async () => ({}),
    undo: () => ({ capability: "lamp.off", input: {} }),
  }),
  defineCapability({
    ...device,
    ...nothing,
    name: "lamp.off",
    summary: "Turn the lamp off",
    apply: async () => ({}),
  }),
  defineCapability({
    ...device,
    ...nothing,
    name: "post.drop",
    summary: "Post a letter",
    apply: async () => ({}),
  }),
];

const fax = defineCapability({
  ...device,
  ...nothing,
  name: "fax.send",
  summary: "Send a fax",
  apply: async () => ({}),
});

let paraph: TestParaph;
beforeAll(async () => {
  paraph = await TestParaph.start(
    {
      capabilities: [send, tone, fax, ...devices],
      unattended: ["lamp.on", "lamp.off", "post.drop"],
      rules: [
        { capability: "mail.send", check: ["check.tone", "check.secrets"], onFail: "ask" },
        { capability: "fax.send", block: true, sentence: "Faxes reach people who left." },
      ],
    },
    [
      { tenant: "acme", id: "owner", kind: "person", groups: ["paraph:admins"] },
      { tenant: "acme", id: "ana", kind: "person" },
      { tenant: "acme", id: "bot", kind: "agent", owner: "owner" },
    ],
  );
});
afterAll(() => paraph?.stop());
const run = (...args: string[]) => paraph.cli({ person: "ana", agent: "bot" }, ...args);

async function asked(capability: string, input: object): Promise<string> {
  const { body } = await paraph.request("bot", "POST", "/v1/calls", { capability, input });
  const look = async () => (await paraph.request("bot", "GET", `/v1/calls/${body.call}`)).body;
  await expect.poll(async () => (await look()).state).toBe("asking");
  return (await look()).approval.id;
}

it("[TRUST 6] the API, the command line and the page show an approver check results with sensitive values masked", async () => {
  const approval = await asked("mail.send", { to: "ann", code: "4711-secret" });
  const { body } = await paraph.request("ana", "GET", `/v1/approvals/${approval}`);
  const finding = {
    code: "rude",
    path: "input.to",
    sentence: "Rude to ann, who has the code •••: \u001b[2Kall is well",
  };
  expect(body.checks).toEqual([
    { check: "check.tone", passed: false, score: 12, findings: [finding] },
    { check: "check.secrets", passed: true, findings: [] },
  ]);
  const { stdout } = await run("approval", approval);
  expect(stdout).toContain("check.tone did not pass (12 of 100)");
  expect(stdout).toContain("Rude to ann, who has the code •••: <U+001B>[2Kall is well (rude at input.to)");
  expect(stdout).toContain("check.secrets passed");
  for (const unwanted of ["\u001b", "4711"]) expect(stdout).not.toContain(unwanted);
  expect(JSON.parse((await run("approval", approval, "--json")).stdout).checks).toEqual(body.checks);
  const page = await (await paraph.browser("acme", "ana")).open(`${paraph.url}/approvals/${approval}`);
  expect(page.text).toContain("Failed");
  expect(page.text).not.toContain("4711");
});

it("[TRUST 6] the command line shows the approver of an undo which effects remain, and why", async () => {
  const steps = [
    { id: "lamp", capability: "lamp.on", input: {} },
    { id: "letter", capability: "post.drop", input: {} },
  ];
  const { body: plan } = await paraph.request("bot", "POST", "/v1/plans", { plan: { version: 1, steps } });
  const look = async () => (await paraph.request("bot", "GET", `/v1/calls/${plan.call}`)).body;
  await expect.poll(async () => (await look()).state).toBe("closed");
  const back = await paraph.request("bot", "POST", `/v1/calls/${plan.call}/undo`, {
    requirements: { people: 1 },
  });
  const { stdout } = await run("approval", back.body.approval.id);
  expect(stdout).toContain("stays after this undo\n  │ letter (post.drop): its capability offers no undo");
});

it("a blocked call reports its policy and sentence in `call`, `show` and the API, and the next command in `call`", async () => {
  const blocked = await run("call", "fax.send", "{}");
  expect(blocked.code).not.toBe(0);
  const { body } = await paraph.request("bot", "GET", `/v1/calls/${callIn(blocked.stderr)}`);
  const { policies, sentence } = body.refusal;
  expect(policies).toContain("rule-2-fax.send");
  expect(sentence).toContain("Faxes reach people who left.");
  const why = `${sentence} (policies ${policies.join(", ")})`;
  expect(blocked.stderr).toContain(why);
  expect(blocked.stderr).toContain(`paraph policy explain ${body.call}`);
  expect((await run("show", body.call)).stdout).toContain(why);
});

it("[TRUST 9] the API, the SDK and the command line list a capability only to principals who may request it", async () => {
  const listed = async (as: string) => {
    const { body } = await paraph.request(as, "GET", "/v1/capabilities?limit=100");
    return body.capabilities.map(({ name }: { name: string }) => name) as string[];
  };
  const administrative = (names: readonly string[]) => names.filter((name) => name.startsWith("admin."));
  const mine = await listed("bot");
  expect(mine).toEqual(expect.arrayContaining(["lamp.on", "mail.send", "plan.apply"]));
  expect(mine).not.toContain("fax.send");
  expect(administrative(mine)).toEqual([]);
  expect(administrative(await listed("owner")).length).toBeGreaterThan(10);
  const forAgent = await paraph.request("bot", "GET", "/v1/capabilities/admin.freeze");
  expect([forAgent.status, forAgent.body.code]).toEqual([404, "capability-unknown"]);
  expect((await paraph.request("owner", "GET", "/v1/capabilities/admin.freeze")).status).toBe(200);
  const { stdout } = await paraph.cli({ agent: "bot" }, "capabilities", "--json");
  expect(stdout).toContain("lamp.on");
  expect(stdout).not.toContain("admin.");
  expect(administrative((await paraph.agent("bot").capabilities()).map(({ name }) => name))).toEqual([]);
});

const callIn = (text: string) => /call_[a-z0-9]+/.exec(text)?.[0];
