import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { admit, advance, type Call, Catalog } from "@paraph/core";
import { createPlainPolicy } from "@paraph/core/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { sourceEnvironment } from "../../../../test/support/servers/source-environment.ts";
import { createTestPipeline, testAgent } from "../../../../test/support/test-pipeline.ts";
import { findFreePort } from "../../../dev-servers/src/ports.ts";
import { keyPairs, openRemote } from "./testing/fixture.ts";

const folder = mkdtempSync(join(tmpdir(), "paraph-remote-"));
const book = join(folder, "book");
const script = fileURLToPath(new URL("./testing/service-process.ts", import.meta.url));

const cases = [
  ["natural", "after", "succeeded", 2],
  ["keyed", "after", "succeeded", 1],
  ["probe", "before", "succeeded", 1],
  ["probe", "after", "succeeded", 1],
  ["none", "before", "unknown", 0],
  ["none", "after", "unknown", 1],
] as const;
let calls: readonly Call[] = [];

/**
 * Starts the calls. The service kills itself when every attempt has reached its crash point. A second service then
 * finishes the calls.
 */
beforeAll(async () => {
  writeFileSync(book, "");
  // The system does not choose this port for another process while the service restarts there.
  const port = String(await findFreePort());
  const service = await start(cases.length, port);
  const died = once(service.child, "exit");
  const adapter = await openRemote({ url: service.url });
  const catalog = new Catalog(await adapter.open.capabilities());
  const begun = await Promise.all(cases.map(([name, dies]) => begin(catalog, name, dies)));
  expect(await died).toEqual([null, "SIGKILL"]);
  const next = await start(0, port);
  calls = await Promise.all(begun.map((goOn) => goOn()));
  await adapter.open.close?.();
  next.child.disconnect();
  await once(next.child, "exit");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function start(diesAt: number, port: string) {
  const child = fork(script, {
    execArgv: ["--conditions=paraph-source", "--no-warnings"],
    env: {
      ...sourceEnvironment,
      BOOK: book,
      PORT: port,
      DIES_AT: String(diesAt),
      KEY: keyPairs.service.privateKey,
      CALLER: keyPairs.paraph.publicKey,
    },
  });
  const [url] = await once(child, "message");
  return { child, url: String(url) };
}

/**
 * Advances a call as a worker would, until the call waits for the first time. The returned function advances the clock
 * and finishes the call.
 */
async function begin(catalog: Catalog, name: string, dies: string): Promise<() => Promise<Call>> {
  const capability = `shop.${name}`;
  const { clock, ports: portsOf } = await createTestPipeline(`${name} ${dies}`);
  const ports = portsOf({ catalog, policy: createPlainPolicy({ [capability]: "allow" }) });
  const { call } = await admit({ capability, input: { name, dies }, principal: testAgent }, ports);
  await advance(call, ports);
  return async () => {
    for (;;) {
      await clock.advance(60_000);
      const { call: now } = await advance(call, ports);
      if (now?.state === "closed") return now;
    }
  };
}

const entries = (capability: string, { call }: Call) =>
  readFileSync(book, "utf8")
    .split("\n")
    .filter((line) => line === `${capability} ${call}`).length;

it.each(cases.map((each, at) => [...each, at] as const))(
  "[P7] if SIGKILL ends the service while it performs `%s`, %s its effect, the outcome is %s",
  (capability, _, outcome, times, at) => {
    const call = calls[at]!;
    expect(call.outcome).toMatchObject({ kind: outcome });
    expect(entries(capability, call)).toBe(times);
    if (outcome === "unknown") return expect(call.outcome?.code).toBe("connection-lost");
    // The undo comes with the output, from a repeated apply or from a probe in another process.
    const undo = { capability: "shop.strike_out", input: { entry: call.call } };
    expect(call.payloads.undo?.value).toEqual(undo);
  },
);

it("[P8] an unreachable service gives the fault `service-unavailable`, which is not performed and can be retried", async () => {
  const gone = await openRemote({ url: "http://127.0.0.1:1" });
  await expect(gone.open.capabilities()).rejects.toMatchObject({
    kind: "not-performed",
    code: "service-unavailable",
  });
  await gone.open.close?.();
});
