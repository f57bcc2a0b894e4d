// Tests two versions of the code side by side, as in a deployment that replaces workers one by one. Some of the real
// processes have the next version of one contract.
import { afterAll, beforeEach, expect, it } from "vitest";
import { TestCluster } from "./support/servers/test-cluster.ts";
import { type TestCallView, TestClient } from "./support/test-client.ts";

const cluster = await TestCluster.start();
afterAll(() => cluster.stop());
const { oracle, database, keys } = cluster;
const newer = { RENEWED: "asked.keyed" };
// These API processes leave every segment to the workers, so that a test knows which code performs the call.
const [oldApi, newApi] = await Promise.all([
  cluster.startProcess("api", { HERE: "0" }),
  cluster.startProcess("api", { HERE: "0", ...newer }),
]);
const [before, after] = [new TestClient(oldApi.url, keys), new TestClient(newApi.url, keys)];
const oldWorker = () => cluster.startProcess("worker");
const newWorker = () => cluster.startProcess("worker", newer);

beforeEach(() => {
  oracle.requests.length = 0;
});

const ask = async (client: TestClient, capability: string, name: string): Promise<TestCallView> => {
  const { body } = await client.call(capability, { name });
  expect(body.waiting).toMatchObject({ for: "approval" });
  return body;
};
const look = async (call: string) => (await after.request("agent", "GET", `/v1/calls/${call}`)).body;
/** Returns the versions of the contract that acted for this call, in order. */
const actedAs = (call: string) =>
  oracle.requests
    .filter(({ verb, body }) => verb === "apply" && body.call === call)
    .map(({ body }) => body.version);
/** Returns the successors of the call, one after another. */
async function successors(call: string): Promise<TestCallView[]> {
  const { successor } = await look(call);
  return typeof successor === "string" ? [await look(successor), ...(await successors(successor))] : [];
}

it("[P5] a call that waits across a deploy runs if its contract is unchanged, else it needs a new approval", async () => {
  const old = await oldWorker();
  const same = await Promise.all([1, 2, 3].map((n) => ask(before, "asked.natural", `same-${n}`)));
  const changed = await Promise.all([1, 2, 3].map((n) => ask(before, "asked.keyed", `changed-${n}`)));
  await old.kill();
  const worker = await newWorker();
  for (const call of [...same, ...changed]) expect((await after.approve(call)).status).toBe(200);

  for (const { call } of same) {
    expect(await after.waitForOutcome(call)).toMatchObject({ outcome: { kind: "succeeded" } });
    expect(actedAs(call)).toEqual([1]);
  }
  for (const { call } of changed) {
    expect(await after.waitForOutcome(call)).toMatchObject({
      outcome: { kind: "superseded", code: "contract-changed" },
    });
    const [next, ...more] = await successors(call);
    expect([next, more]).toMatchObject([{ version: 2, waiting: { for: "approval" } }, []]);
    await after.approve(next!);
    expect(await after.waitForOutcome(next!.call)).toMatchObject({ outcome: { kind: "succeeded" } });
    expect([actedAs(call), actedAs(next!.call)]).toEqual([[], [2]]);
  }
  await worker.kill();
});

it("[P5] an old worker skips a call of a newer contract and logs it; the new worker performs it once", async () => {
  const old = await oldWorker();
  const call = await ask(after, "asked.keyed", "ahead");
  await before.approve(call);
  await expect.poll(() => cluster.logs).toContain("contract-not-here");
  expect(await look(call.call)).toMatchObject({ state: "ready", version: 2 });
  const worker = await newWorker();
  await old.kill();
  expect(await after.waitForOutcome(call.call)).toMatchObject({ outcome: { kind: "succeeded" } });
  expect([actedAs(call.call), await successors(call.call)]).toEqual([[2], []]);
  await worker.kill();
});

it("[P2] [P5] with old and new processes side by side, each call runs under one contract and none goes back", async () => {
  const old = await oldWorker();
  const worker = await newWorker();
  const calls = await Promise.all(
    Array.from({ length: 24 }, (_, n) =>
      ask(n % 2 ? before : after, n % 4 < 2 ? "asked.keyed" : "asked.natural", `beside-${n}`),
    ),
  );
  await Promise.all(calls.map((call, n) => (n % 3 ? before : after).approve(call)));
  // As in a deployment, the old worker finishes its attempts. After a kill, no process would know their contract.
  await old.stop();
  for (const { call } of calls) await after.waitForOutcome(call);
  for (const { call, version, capability } of calls) {
    const next = await successors(call);
    for (const each of next) await after.approve(each);
    for (const each of next) await after.waitForOutcome(each.call);
    const chain = [await look(call), ...(await successors(call))];
    const goesOn = capability === "asked.keyed" && version === 1;
    // Either the old code performed the call before it stopped, or Paraph admitted the call once more, under the new
    // contract.
    expect(chain.length).toBeLessThanOrEqual(goesOn ? 2 : 1);
    expect(chain.at(-1)).toMatchObject({ outcome: { kind: "succeeded" } });
    const acted = new Set(chain.flatMap((each) => actedAs(each.call)));
    expect([...acted]).toEqual([chain.at(-1)?.version]);
  }
  const [{ open } = {}] = await database.query(
    "select count(*)::int as open from paraph.call where state <> 'closed'",
  );
  expect(open).toBe(0);
  await worker.kill();
});
