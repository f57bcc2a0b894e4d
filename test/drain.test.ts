import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeEach, expect, it } from "vitest";
import { TestCluster } from "./support/servers/test-cluster.ts";
import { TestClient } from "./support/test-client.ts";

const [postgres, restate] = await Promise.all([
  TestCluster.start({ engine: "postgres" }),
  TestCluster.start({ engine: "restate" }),
]);
const clusters = { postgres, restate };
afterAll(() => Promise.all([postgres.stop(), restate.stop()]));

let release = () => {};
let reached: Promise<void> = Promise.resolve();
beforeEach(() => {
  const [arrived, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  [reached, release] = [arrived.promise, gate.resolve];
  for (const { oracle } of [postgres, restate])
    oracle.beforeEffect = async (verb) => {
      if (verb !== "apply") return;
      arrived.resolve();
      await gate.promise;
    };
});

/** Returns `drains` if the process logs that it waits for the call, or `ended` if it ends without waiting. */
async function afterSignal(child: ChildProcess, call: string): Promise<"drains" | "ended"> {
  const ended = once(child, "exit").then(() => "ended" as const);
  const drains = Promise.withResolvers<"drains">();
  let logs = "";
  // The listener stays registered, because several chunks may arrive in one turn.
  const read = (chunk: Buffer) => {
    logs += String(chunk);
    if (logs.includes('"draining"') && logs.includes(call)) drains.resolve("drains");
  };
  child.stderr!.on("data", read);
  child.kill("SIGTERM");
  const said = await Promise.race([ended, drains.promise]);
  child.stderr!.off("data", read);
  return said;
}

it.each([
  ["worker", "postgres"],
  ["api", "postgres"],
  ["worker", "restate"],
] as const)(
  "[P2] a stopping %s on %s finishes its running attempt, so that the outcome is recorded and not unknown",
  async (role, engine) => {
    const cluster = clusters[engine];
    const api = await cluster.startProcess("api", role === "worker" ? { HERE: "0" } : {});
    const other = role === "worker" ? await cluster.startProcess("worker") : api;
    const client = new TestClient(api.url, cluster.keys);
    const { body } = await client.call("free.none", { name: "door" });
    await reached;
    expect(await afterSignal(other.child, body.call)).toBe("drains");
    const exit = once(other.child, "exit");
    release();
    expect(await exit).toEqual([0, null]);
    const rows = await cluster.database.query(
      "select c.outcome, i.ended from paraph.call c join paraph.intent i on i.call = c.id where c.id = $1",
      [body.call],
    );
    expect(rows).toEqual([{ outcome: "succeeded", ended: "succeeded" }]);
    expect(cluster.oracle.listEffects(body.call)).toHaveLength(1);
    await api.kill();
  },
);

it("[P2] a second signal ends a draining process at once", async () => {
  const api = await postgres.startProcess("api");
  const { body } = await new TestClient(api.url, postgres.keys).call("free.none", { name: "door" });
  await reached;
  expect(await afterSignal(api.child, body.call)).toBe("drains");
  const exit = once(api.child, "exit");
  api.child.kill("SIGTERM");
  expect(await exit).toEqual([1, null]);
  release();
});
