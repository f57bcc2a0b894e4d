// Tests activity on the command line and as exports against a complete Paraph, including the commands of
// docs/operate/activity.md.
import { readFile } from "node:fs/promises";
import { defineCapability, roles } from "@paraph/core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { TestParaph } from "../../../../../test/support/servers/test-paraph.ts";

const boxes = new Map<string, string>();
const put = defineCapability({
  name: "box.put",
  version: 1,
  summary: "Put something",
  effect: "write",
  idempotency: "natural",
  input: z.object({ box: z.string(), value: z.string() }),
  output: z.object({}),
  locks: ({ box }) => [box],
  preview: async ({ box }) => ({ changes: [{ kind: "update", target: box }], basis: null }),
  apply: async ({ box, value }) => {
    boxes.set(box, value);
    return {};
  },
  undo: ({ box }) => ({ capability: "box.put", input: { box, value: "" } }),
});

const paraph = await TestParaph.start({ capabilities: [put] }, [
  { tenant: "acme", id: "owner", kind: "person" },
  { tenant: "acme", id: "ana", kind: "person", groups: [roles.auditors] },
  { tenant: "acme", id: "bot", kind: "agent", owner: "owner" },
]);
afterAll(() => paraph.stop());
const run = (...args: string[]) => paraph.cli({ person: "ana", agent: "bot" }, ...args);

const secret = "canary-box";
let plan = "";
beforeAll(async () => {
  const step = (id: string) => ({ id, capability: "box.put", input: { box: id, value: secret } });
  const placed = await paraph.request("bot", "POST", "/v1/calls", {
    capability: "plan.apply",
    input: { version: 1, steps: [step("a"), step("b"), step("c")] },
  });
  plan = placed.body.call;
  const approve = async (call: string, declined: readonly string[] = []) => {
    const { body } = await paraph.request("ana", "GET", `/v1/calls/${call}`);
    const { id, digest } = body.waiting.approval;
    const path = `/v1/approvals/${id}/decision`;
    await paraph.request("ana", "POST", path, {
      decision: "approve",
      digest,
      ...(declined.length > 0 && { declined }),
    });
    expect((await paraph.agent("bot").wait(call)).kind).toBe("succeeded");
  };
  await approve(plan, ["c"]);
  const undo = await paraph.request("bot", "POST", `/v1/calls/${plan}/undo`, {});
  await approve(undo.body.call);
});

it("[P13] `activity --plan` lists the requests, approvals, applied steps and undos of a plan together", async () => {
  const { stdout, code } = await run("activity", "--plan", plan, "--json");
  expect(code).toBe(0);
  const { activity } = JSON.parse(stdout);
  const told = activity.map(({ kind, step, by }: Record<string, string>) =>
    [kind, step, by].filter((word) => word !== undefined).join(" "),
  );
  expect(told).toEqual([
    ...["undo", "apply undo-2-a", "apply undo-1-b", "begin", "approve ana", "ask"],
    ...["apply", "apply b", "apply a", "begin", "approve ana", "ask"],
  ]);
  expect(activity[0]).toMatchObject({ undoes: plan, outcome: "succeeded" });
  expect(activity[10]).toMatchObject({ kind: "approve", declined: ["c"], plan, capability: "plan.apply" });
  expect(boxes).toEqual(
    new Map([
      ["a", ""],
      ["b", ""],
    ]),
  );
});

it("prints activity as a readable table that options can filter", async () => {
  const { stdout } = await run("activity", "--plan", plan, "--kind", "approve");
  expect(stdout).toMatch(/^WHEN +BY +ACTION +CAPABILITY +STEP +RESULT +CALL\n/);
  expect(stdout).toMatch(/ana +approve +plan\.apply +without c +call_/);
  expect((await run("activity", "--kind", "resolve")).stderr).toContain("No activity matches.");
  expect(await run("activity", "--format", "xml")).toMatchObject({ code: 2 });
  const one = await run("activity", "--limit", "1");
  expect([one.stdout.split("\n").length, one.stderr.includes("There is more")]).toEqual([3, true]);
});

it("every command of docs/operate/activity.md runs, and none prints an input value", async () => {
  const text = await readFile(new URL("../../../../../docs/operate/activity.md", import.meta.url), "utf8");
  const [, block = ""] = /```sh\n([^`]*)```/.exec(text) ?? [];
  const commands = block.trim().split("\n");
  expect(commands.length).toBeGreaterThan(5);
  for (const command of commands) {
    const [words = ""] = command.split(/ +(?:#|>)/);
    const args = words.replace("PLAN", plan).trim().split(/ +/).slice(1);
    const { code, stdout } = await run(...args);
    expect([command, code, stdout.includes(secret)]).toEqual([command, 0, false]);
  }
  const ocsf = (await run("activity", "--format", "ocsf")).stdout.trimEnd().split("\n");
  expect(ocsf.length).toBe(12);
  expect(JSON.parse(ocsf[0]!)).toMatchObject({ class_uid: 6003, activity_name: "Update" });
});
