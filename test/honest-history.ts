import {
  admit,
  advance,
  type Call,
  Catalog,
  decide,
  defineCapability,
  type Idempotency,
  type World,
} from "@paraph/core";
import { plainPolicy } from "@paraph/core/testing";
import { z } from "zod";
import type { ClientRecord, History, LedgerCall } from "../lab/history/history.ts";
import type { OracleRecord } from "../lab/oracle/oracle.ts";
import { effectDigest } from "../lab/process/config.ts";
import { agent, person, tenant, testPipeline } from "./pipeline.ts";

/** What an honest run leaves: the real pipeline over the model store, with an oracle that sees every effect. */
export async function honestHistory(): Promise<History> {
  const { clock, store, signer, ports: portsOf } = await testPipeline("checker");
  const oracle: OracleRecord[] = [];
  const client: ClientRecord[] = [];
  const kinds = ["natural", "keyed", "none"] as const;
  const perform = (kind: (typeof kinds)[number], name: string, { call, key, basis }: World) =>
    oracle.push({
      at: clock.now(),
      kind,
      call,
      key,
      digest: effectDigest(name, basis ?? null),
      verdict: "performed",
    });
  const capabilities = [
    ...["free", "asked"].flatMap((adapter) => kinds.map((kind) => effect(adapter, kind, perform))),
    reading,
  ];
  const rules = capabilities.map(({ contract: { name } }) => [
    name,
    name.startsWith("asked.") ? { ask: 1 } : "allow",
  ]);
  const ports = portsOf({
    catalog: new Catalog(capabilities),
    policy: plainPolicy(Object.fromEntries(rules)),
  });

  const begin = async (capability: string, key: string, input: Record<string, string>): Promise<Call> => {
    const request = { principal: agent, capability, key, input: { name: key, ...input } };
    const { call } = await admit(request, ports);
    const { state, outcome } = call;
    const said = { at: clock.now(), key, capability, status: 202, call: call.call, state };
    client.push({ kind: "answered", ...said, ...(outcome && { outcome: outcome.kind }) });
    await clock.advance(1_000);
    return call;
  };
  const run = async (capability: string, key: string, input: Record<string, string> = {}) => {
    await advance(await begin(capability, key, input), ports);
    await clock.advance(1_000);
  };
  const answered = async (key: string, decision: "approve" | "deny") => {
    const call = await begin("asked.keyed", key, {});
    const { id: approval, digest } = call.approval!;
    await decide({ approval, voter: person("ana"), decision, digest }, ports);
    client.push({ kind: "decided", at: clock.now(), approval, decision, digest, status: 200 });
    await clock.advance(1_000);
    await advance(call, ports);
    await clock.advance(1_000);
  };

  await begin("free.read", "read", {});
  await run("free.natural", "natural");
  await run("free.keyed", "first", { lock: "door" });
  await run("free.keyed", "second", { lock: "door" });
  await answered("approved", "approve");
  await answered("denied", "deny");
  await run("free.none", "lost", { lock: "window", answer: "lost" });
  return {
    meta: {
      run: "checker",
      seed: 1,
      startedAt: clock.now(),
      leastSucceeded: 5,
      keys: [signer.publicKey],
    },
    client,
    oracle,
    ledger: store.calls().map((call): LedgerCall => ({ ...call, receipts: [store.receipt(call)!.envelope] })),
    leftovers: store
      .locksOf(tenant)
      .held()
      .map(({ key, call }) => ({ kind: "lock", key, call })),
  };
}

/** As lab/process/config.ts has them, with the oracle at hand instead of behind HTTP. */
function effect<K extends Idempotency>(
  adapter: string,
  kind: K,
  perform: (kind: K, name: string, world: World) => void,
) {
  return defineCapability({
    ...{ name: `${adapter}.${kind}`, version: 1, summary: `An effect that is ${kind}` },
    ...{ effect: "write", idempotency: kind },
    input: z.object({ name: z.string(), lock: z.string().optional(), answer: z.string().optional() }),
    output: z.object({ done: z.boolean() }),
    locks: ({ lock }) => (lock === undefined ? [] : [lock]),
    preview: async ({ name }) => ({ changes: [{ kind: "update", target: name }], basis: { version: 0 } }),
    apply: async ({ name, answer }, world) => {
      perform(kind, name, world);
      if (answer === "lost") throw Object.assign(new Error("the connection broke"), { code: "ECONNRESET" });
      return { done: true };
    },
  });
}

const reading = defineCapability({
  ...{ name: "free.read", version: 1, summary: "Read a name", effect: "read", idempotency: "natural" },
  ...{ input: z.object({ name: z.string() }), output: z.object({ name: z.string() }) },
  apply: async ({ name }) => ({ name }),
});
