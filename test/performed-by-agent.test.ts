// Tests calls that the agent's own process performs, on real servers and with real processes that are killed.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { createClient, governCapability, verify } from "@paraph/sdk";
import { afterAll, beforeEach, expect, it } from "vitest";
import { sourceEnvironment } from "./support/servers/source-environment.ts";
import { TestCluster } from "./support/servers/test-cluster.ts";
import { TestClient } from "./support/test-client.ts";

const cluster = await TestCluster.start({ engine: "restate" });
// The time to report is a tenth of this timeout, at most two seconds. A busy machine needs more than one second.
cluster.environment = { ATTEMPT_TIMEOUT: "20s" };
const agents = new Set<ChildProcess>();
afterAll(async () => {
  for (const agent of agents) agent.kill("SIGKILL");
  await cluster.stop();
});
const { oracle, keys, database } = cluster;
const [api] = await Promise.all([cluster.startProcess("api"), cluster.startProcess("worker")]);
const people = new TestClient(api.url, keys);
const client = (url = api.url) => createClient({ url, key: keys.agent });

beforeEach(() => {
  oracle.afterEffect = async () => {};
});

/** Starts an agent that requests and performs this call, as a process that can be killed. */
function agent(capability: string, name: string) {
  const child = spawn(process.execPath, ["--conditions=paraph-source", "--no-warnings", script], {
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      ...sourceEnvironment,
      URL: api.url,
      KEY: keys.agent,
      ORACLE_URL: oracle.url,
      CAPABILITY: capability,
      NAME: name,
    },
  });
  agents.add(child);
  const exited = once(child, "exit").then(() => agents.delete(child));
  return {
    kill: async () => {
      child.kill("SIGKILL");
      await exited;
    },
    result: async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of child.stdout) chunks.push(chunk);
      return JSON.parse(Buffer.concat(chunks).toString());
    },
  };
}
const script = fileURLToPath(new URL("./own-agent.ts", import.meta.url));

/** Resolves with the call whose effect has just happened. The oracle's response never arrives. */
const effectWithoutAnswer = () =>
  new Promise<string>((resolve) => {
    oracle.afterEffect = (verb, body) => {
      if (verb !== "apply") return Promise.resolve();
      resolve(String(body.call));
      return new Promise(() => {});
    };
  });

it("[P4] [P5] the agent performs an approved call once, and the receipt proves it", async () => {
  const running = agent("own_asked.none", "whole");
  // The same key names the same call, whichever of the two requests comes first.
  const { body: asked } = await people.call("own_asked.none", { name: "whole" }, { key: "whole" });
  expect(oracle.listEffects(asked.call)).toEqual([]);
  await people.approve(asked);
  expect(await running.result()).toMatchObject({ kind: "succeeded", output: { done: true } });
  expect(oracle.listEffects(asked.call)).toHaveLength(1);
  const { story } = await verify(await client().receipt(asked.call), await client().keys());
  expect([story.performer, story.outcome.kind]).toEqual(["agent", "succeeded"]);
});

it("[P7] after kill -9 of the agent between claim and report, the call ends unknown and a person resolves it", async () => {
  const effect = effectWithoutAnswer();
  const dying = agent("own.none", "dies");
  const call = await effect;
  await dying.kill();
  // The agent restarts and does not repeat the effect. It waits for a person's resolution.
  oracle.afterEffect = async () => {};
  const back = agent("own.none", "dies");
  expect(await back.result()).toMatchObject({ call, kind: "unknown", code: "not-reported" });
  expect(oracle.listEffects(call)).toHaveLength(1);
  const found = { finding: "happened", reason: "It is in the oracle's book." };
  const { body } = await people.request("owner", "POST", `/v1/calls/${call}/resolution`, found);
  expect(body).toMatchObject({ resolution: { finding: "happened" } });
});

it("[P7] after kill -9 of the API between claim and report, another API process accepts the report", async () => {
  const other = await cluster.startProcess("api");
  const { call } = await client(other.url).call("own.none", { name: "moved" }, { waitMs: 120_000 });
  const claimToken = crypto.randomUUID();
  const { perform } = await client(other.url).claim(call, claimToken);
  expect(perform).toMatchObject({ attempt: 1, input: { name: "moved" } });
  await other.kill();
  // The process that wrote the intent is gone. Paraph draws no conclusion from that, because the agent performs the
  // call.
  const [intent] = await database.query("select life, ended from paraph.intent where call = $1", [call]);
  expect(intent).toEqual({ life: null, ended: null });
  const result = await client().report(call, claimToken, { as: "succeeded", output: { done: true } });
  expect(result).toMatchObject({ kind: "succeeded", performer: "agent" });
});

it("[P15] the SDK reports code that does not end in time as a timeout before the deadline", async () => {
  const act = governCapability<{ name: string }>(client(), {
    capability: "own.none",
    execute: () => new Promise(() => {}),
  });
  expect(await act.call({ name: "hangs" })).toMatchObject({ kind: "unknown", code: "timeout" });
});

it("[P2] after the engine is wiped, an offered call can be performed and an unreported claim ends unknown", async () => {
  const offered = await client().call("own.none", { name: "offered" }, { waitMs: 120_000 });
  const result = await client().call("own.none", { name: "taken" }, { waitMs: 120_000 });
  await client().claim(result.call, "ticket-of-this-test");
  await cluster.wipeEngine();
  const act = governCapability<{ name: string }>(client(), {
    capability: "own.none",
    execute: () => ({ done: true }),
  });
  expect(await act.resume(offered.call)).toMatchObject({ kind: "succeeded" });
  expect(await client().wait(result.call, { timeoutMs: 120_000 })).toMatchObject({
    kind: "unknown",
    code: "not-reported",
  });
});
