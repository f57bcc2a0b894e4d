import {
  admit,
  advance,
  type Call,
  CapabilityError,
  Catalog,
  cloudEventType,
  decide,
  defineCapability,
  type ExecutionContext,
  edit,
  type Idempotency,
  type Json,
  type PlanRequest,
  planApplyCapability,
  resolveUnknown,
  toRecorded,
  type Wake,
  withdrawCall,
} from "@paraph/core";
import { createPlainPolicy } from "@paraph/core/testing";
import { z } from "zod";
import type { ClientRecord, LabHistory, LedgerCall } from "../../lab/history/history.ts";
import type { OracleRecord } from "../../lab/oracle/oracle.ts";
import { effectDigest } from "../../lab/process/config.ts";
import type { UserAction } from "../../lab/user-action.ts";
import { createPerson, createTestPipeline, testAgent, testTenant } from "./test-pipeline.ts";

/**
 * Creates the history of a correct run: the real pipeline over the model store, with an oracle that sees every effect.
 */
export async function createHonestHistory(): Promise<LabHistory> {
  const { clock, store, signer, ports: portsOf } = await createTestPipeline("checker");
  // Ana approves, and an editor's approval does not count. Another person therefore edits.
  store.addPrincipal(createPerson("bo"));
  const oracle: OracleRecord[] = [];
  const client: ClientRecord[] = [];
  const kinds = ["natural", "keyed", "none"] as const;
  const perform = (kind: (typeof kinds)[number], name: string, { call, key, basis }: ExecutionContext) =>
    oracle.push({
      at: clock.now(),
      kind,
      call,
      key,
      digest: effectDigest(name, basis ?? null),
      verdict: "performed",
    });
  const capabilities = [
    ...["free", "asked", "reversible"].flatMap((adapter) =>
      kinds.map((kind) => createEffect(adapter, kind, perform)),
    ),
    ...[readCapability, planApplyCapability],
  ];
  const rules = capabilities.map(({ contract: { name } }) => [
    name,
    name.startsWith("asked.") ? { ask: 1 } : "allow",
  ]);
  const ports = portsOf({
    catalog: new Catalog(capabilities),
    policy: createPlainPolicy(Object.fromEntries(rules)),
  });

  const begin = async (capability: string, key: string, input: Record<string, string>): Promise<Call> => {
    const request = { principal: testAgent, capability, key, input: { name: key, ...input } };
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
  const decided = async (call: Call, decision: "approve" | "deny") => {
    const { id: approval, digest } = call.approval!;
    await decide({ approval, voter: createPerson("ana"), decision, digest }, ports);
    client.push({ kind: "decided", at: clock.now(), approval, decision, digest, status: 200 });
    await clock.advance(1_000);
    await advance(call, ports);
    await clock.advance(1_000);
  };
  const answered = async (key: string, decision: "approve" | "deny") =>
    decided(await begin("asked.keyed", key, {}), decision);
  const did = (action: UserAction, call: string) =>
    client.push({ kind: "did", at: clock.now(), deed: action, status: 200, call });
  const edited = async () => {
    const old = await begin("asked.keyed", "edited", {});
    const { id: approval, digest } = old.approval!;
    const input = { name: "better" };
    const { call } = await edit({ approval, editor: createPerson("bo"), digest, input }, ports);
    did({ kind: "edit", approval, digest, input }, call.call);
    await decided(call, "approve");
  };
  const takenBack = async () => {
    const { call } = await begin("asked.keyed", "withdrawn", {});
    await withdrawCall({ call, by: testAgent }, ports);
    did({ kind: "withdraw", call }, call);
  };
  const foundOut = async () => {
    await run("free.none", "found-out", { lock: "roof", answer: "lost" });
    const { call } = store.calls().find(({ key }) => key === "found-out")!;
    await resolveUnknown(
      { call, by: createPerson("ana"), finding: "happened", reason: "it is there" },
      ports,
    );
    did({ kind: "resolve", call, finding: "happened" }, call);
  };

  /** Delivers all messages until none is left. */
  const settled = async (wakes: readonly Wake[]) => {
    const queue = [...wakes];
    for (let next = queue.shift(); next; next = queue.shift()) {
      queue.push(...(await advance(next, ports)).wakes);
      await clock.advance(1_000);
    }
  };
  const planned = async (key: string, document: Omit<PlanRequest, "version">): Promise<Call> => {
    const input = JSON.parse(JSON.stringify({ version: 1, ...document })) as Json;
    const { call, wakes } = await admit(
      { principal: testAgent, capability: "plan.apply", key, input },
      ports,
    );
    await settled(wakes);
    return call;
  };
  const step = (id: string, capability: string, more: object = {}) => ({
    id,
    capability,
    input: { name: id, ...more },
  });
  const parted = async () => {
    const steps = [step("one", "asked.keyed"), step("two", "asked.none"), step("three", "free.natural")];
    const { approval } = await planned("parted", { steps });
    const { id, digest } = approval!;
    const yes = { approval: id, voter: createPerson("ana"), decision: "approve", digest } as const;
    await settled((await decide({ ...yes, declined: ["two"] }, ports)).wakes);
  };
  const broken = async () => {
    const steps = [
      ...[step("first", "reversible.keyed"), step("second", "reversible.keyed")],
      step("third", "free.keyed", { answer: "broken" }),
    ];
    await planned("broken", { onFailure: "compensate", steps });
  };

  await begin("free.read", "read", {});
  await run("free.natural", "natural");
  await run("free.keyed", "first", { lock: "door" });
  await run("free.keyed", "second", { lock: "door" });
  await answered("approved", "approve");
  await answered("denied", "deny");
  await run("free.none", "lost", { lock: "window", answer: "lost" });
  await edited();
  await takenBack();
  await foundOut();
  await parted();
  await broken();
  return {
    meta: {
      run: "checker",
      seed: 1,
      startedAt: clock.now(),
      minSucceeded: 5,
      keys: [signer.publicKey],
    },
    client,
    oracle,
    ledger: store.calls().map(
      (call): LedgerCall => ({
        ...call,
        events: toRecorded(call.events),
        receipts: [store.envelope(call)!],
        findings: [store.statement(call)].flatMap((found) => found?.envelope ?? []),
      }),
    ),
    messages: [],
    observed: oracle
      .filter(({ verdict }) => verdict === "performed")
      .map(({ call }, n) => ({ seq: n + 1, id: String(n), subject: call })),
    hooks: store.calls().flatMap(({ call, events }) =>
      events.map((event) => ({
        at: event.at,
        id: `${call}_${event.seq}`,
        type: cloudEventType(event),
        digest: `${call} ${event.seq}`,
        verdict: "taken" as const,
      })),
    ),
    leftovers: store
      .getLocks(testTenant)
      .listHeld()
      .map(({ key, call }) => ({ kind: "lock", key, call })),
  };
}

/** Creates an effect as lab/process/config.ts does, with the oracle in this process instead of over HTTP. */
function createEffect<K extends Idempotency>(
  adapter: string,
  kind: K,
  perform: (kind: K, name: string, context: ExecutionContext) => void,
) {
  return defineCapability({
    name: `${adapter}.${kind}`,
    version: 1,
    summary: `An effect that is ${kind}`,
    effect: "write",
    idempotency: kind,
    input: z.object({ name: z.string(), lock: z.string().optional(), answer: z.string().optional() }),
    output: z.object({ done: z.boolean() }),
    locks: ({ lock }) => (lock === undefined ? [] : [lock]),
    preview: async ({ name }) => ({ changes: [{ kind: "update", target: name }], basis: { version: 0 } }),
    apply: async ({ name, answer }, context) => {
      if (answer === "broken") throw new CapabilityError("permanent", "broken", "it cannot be done");
      perform(kind, name, context);
      if (answer === "lost") throw Object.assign(new Error("the connection broke"), { code: "ECONNRESET" });
      return { done: true };
    },
    ...(adapter === "reversible" && {
      undo: ({ name }: { name: string }) => ({ capability: "free.keyed", input: { name: `undo-${name}` } }),
    }),
  });
}

const readCapability = defineCapability({
  name: "free.read",
  version: 1,
  summary: "Read a name",
  effect: "read",
  idempotency: "natural",
  input: z.object({ name: z.string() }),
  output: z.object({ name: z.string() }),
  apply: async ({ name }) => ({ name }),
});
