// Tests that a backtest of the policy in force reports no difference, for all kinds of past calls.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { files } from "@paraph/adapters/files";
import { afterAll, beforeAll, expect, it } from "vitest";
import { TestParaph } from "./support/servers/test-paraph.ts";

let paraph: TestParaph;
beforeAll(async () => {
  paraph = await TestParaph.start(
    {
      adapters: { files: files({ root: "work" }) },
      rules: [{ capability: "files.copy", check: "basic" }],
    },
    [
      { tenant: "acme", id: "ana", kind: "person", groups: ["paraph:admins"] },
      { tenant: "acme", id: "bo", kind: "person" },
      { tenant: "acme", id: "cy", kind: "person" },
      { tenant: "acme", id: "bot", kind: "agent", owner: "ana" },
    ],
    {},
    (folder) => mkdir(join(folder, "work")),
  );
}, 180_000);
afterAll(() => paraph?.stop());

const get = async (call: string) => (await paraph.request("ana", "GET", `/v1/calls/${call}`)).body;

async function placed(as: string, capability: string, input: object): Promise<string> {
  const { body } = await paraph.request(as, "POST", "/v1/calls", { capability, input });
  expect(body.call, JSON.stringify(body)).toEqual(expect.any(String));
  return body.call;
}

async function approved(call: string, by: string): Promise<string> {
  // After a check, the call may continue without an approval.
  await expect.poll(async () => (await get(call)).state).toMatch(/asking|closed/);
  const { state, approval } = await get(call);
  if (state === "closed") return ended(call);
  const { id } = approval;
  const { digest } = (await paraph.request(by, "GET", `/v1/approvals/${id}`)).body;
  const vote = await paraph.request(by, "POST", `/v1/approvals/${id}/decision`, {
    decision: "approve",
    digest,
  });
  expect(vote.status, JSON.stringify(vote.body)).toBe(200);
  return ended(call);
}

async function ended(call: string): Promise<string> {
  await expect.poll(async () => (await get(call)).state).toBe("closed");
  expect((await get(call)).outcome.kind).toBe("succeeded");
  return call;
}

const write = (path: string) => ({ capability: "files.write", input: { path, content: path } });
const step = (id: string, path: string) => ({ id, ...write(path) });

it("a backtest of the unchanged policy reports no difference for plans, steps, edits, grants, checks and undos", async () => {
  await ended(await placed("bot", "files.list", { path: "." }));
  await approved(
    await placed("bot", "plan.apply", { version: 1, steps: [step("a", "a"), step("b", "b")] }),
    "bo",
  );
  const single = await approved(await placed("bot", "files.write", write("c").input), "bo");
  const waiting = await placed("bot", "files.write", write("d").input);
  const { id } = (await get(waiting)).approval;
  const { digest } = (await paraph.request("bo", "GET", `/v1/approvals/${id}`)).body;
  const edited = await paraph.request("bo", "POST", `/v1/approvals/${id}/edit`, {
    digest,
    input: { path: "d", content: "edited" },
  });
  expect(edited.status, JSON.stringify(edited.body)).toBe(200);
  await approved(edited.body.call, "cy");
  await approved(await placed("bot", "files.copy", { from: "c", to: "c2" }), "bo");
  const undo = await paraph.request("bot", "POST", `/v1/calls/${single}/undo`, {});
  await approved(undo.body.call, "bo");
  const grant = {
    capability: "files.write",
    principal: "bot",
    count: 3,
    expires: "1h",
    bounds: { content: { is: "granted" } },
  };
  await approved(await placed("ana", "admin.grant", grant), "bo");
  const granted = { content: "granted" };
  await ended(await placed("bot", "files.write", { path: "e", ...granted }));
  const mixed = [{ ...step("g", "f"), input: { path: "f", ...granted } }, step("h", "h")];
  await approved(await placed("bot", "plan.apply", { version: 1, steps: mixed }), "bo");

  const response = await fetch(`${paraph.url}/v1/policy/backtest`, {
    method: "POST",
    headers: { authorization: `Bearer ${paraph.key("ana")}`, "content-type": "application/json" },
    body: JSON.stringify({ since: "2020-01-01T00:00:00.000Z", candidate: {} }),
  });
  const result = JSON.parse((await response.text()).trim().split("\n").at(-1)!);
  expect(result).toMatchObject({ kind: "result", changed: 0, differences: [] });
  // The backtest judges nearly all calls. It cannot judge calls that used a grant.
  expect(result.calls).toBeGreaterThanOrEqual(14);
  expect(result.notEvaluated).toEqual({ granted: expect.any(Number) });
  expect(result.notEvaluated.granted).toBeLessThanOrEqual(3);
  expect(result.byRuling.every(({ otherPolicies }: { otherPolicies: number }) => otherPolicies === 0)).toBe(
    true,
  );
});
