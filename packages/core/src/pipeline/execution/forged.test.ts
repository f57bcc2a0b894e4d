import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  createPerson,
  createTestPipeline,
  testAgent,
  testTenant,
} from "../../../../../test/support/test-pipeline.ts";
import type { Call } from "../../call.ts";
import { defineCapability } from "../../capability/capability.ts";
import { Catalog } from "../../capability/catalog.ts";
import { type Event, type EventKind, toRecorded, type UnsealedEvent } from "../../event.ts";
import type { JsonObject } from "../../json.ts";
import type { Ports } from "../../ports.ts";
import { sealEvent } from "../../receipts/seal.ts";
import type { CallRow } from "../../testing/model/model-rows.ts";
import { createPlainPolicy } from "../../testing/plain-policy.ts";
import { createRawEvent } from "../../testing/raw-event.ts";
import { createTestSigner } from "../../testing/test-signer.ts";
import { admit } from "../admission/admit.ts";
import { edit } from "../admission/edit.ts";
import { advance } from "../advance.ts";
import { claimCall } from "../agent/claim.ts";
import { decide } from "../approval/decide.ts";
import { reassign } from "../approval/reassign.ts";

type Asked = { readonly approval: string; readonly digest: string };

/** Rows that can be changed, as a program with the database's password can change them. */
type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** Creates a call that two people must approve, and its rows. */
async function bench() {
  const pipeline = await createTestPipeline("forged");
  const { store } = pipeline;
  for (const id of ["bo", "cy"]) store.addPrincipal(createPerson(id));
  const world = { effects: 0, fails: 0, basis: 1, metrics: [] as string[] };
  const pay = defineCapability({
    name: "bank.pay",
    version: 1,
    summary: "Pays",
    effect: "write",
    idempotency: "natural",
    input: z.object({ to: z.string() }),
    output: z.object({}),
    preview: async () => ({ changes: [], basis: world.basis }),
    apply: async () => {
      world.effects += 1;
      if (world.fails-- > 0) throw Object.assign(new Error("no answer"), { code: "ECONNRESET" });
      return {};
    },
  });
  const own = defineCapability({
    name: "own.act",
    version: 1,
    summary: "Acts",
    effect: "write",
    idempotency: "none",
    performer: "agent",
    input: z.object({ to: z.string() }),
    output: z.object({}),
  });
  const telemetry = {
    span: <T>(_name: string, _about: object, body: () => Promise<T>) => body(),
    measure: (name: string) => void world.metrics.push(name),
  };
  const policy = createPlainPolicy({ "bank.pay": { ask: 2 }, "own.act": "allow" });
  const ports = pipeline.ports({ policy, catalog: new Catalog([pay, own]), telemetry });
  const load = async ({ call }: Pick<Call, "call">) => (await store.load({ tenant: testTenant, call }))!;
  return {
    pipeline,
    store,
    ports,
    world,
    load,
    ask: async (capability = "bank.pay") =>
      (await admit({ principal: testAgent, capability, input: { to: "x" } }, ports)).call,
    approve: async (call: Call, voter: string) => {
      const { id, digest } = (await load(call)).approval!;
      return decide({ approval: id, digest, decision: "approve", voter: createPerson(voter) }, ports);
    },
    advance: async (call: Pick<Call, "call">) => {
      await advance({ tenant: testTenant, call: call.call }, ports);
      return load(call);
    },
    row: ({ call }: Pick<Call, "call">) =>
      store.rows().find((one) => one.call === call) as unknown as Writable<CallRow>,
  };
}

const round = (row: CallRow) => row.rounds.at(-1)!;
const vote = (row: CallRow) => round(row).votes[0] as Writable<CallRow["rounds"][number]["votes"][number]>;
const event = (row: CallRow, kind: EventKind) =>
  row.events.find((one) => one.kind === kind)! as unknown as { data: JsonObject; at: number; seq: number };

function add(row: CallRow, kind: EventKind, data: JsonObject, at = 0): void {
  row.events.push({ seq: row.events.length + 1, kind, at, data } as unknown as Event);
  row.epochs.push(row.epoch);
}

function change(row: CallRow, kind: EventKind, data: JsonObject): void {
  const found = event(row, kind);
  found.data = { ...found.data, ...data };
}

/** Replaces the input with another one that has the salt of the real input. */
function payEvil(row: CallRow): void {
  const input = row.payloads.find(({ name }) => name === "input")!;
  row.payloads.push({ ...input, value: { to: "evil" } });
}

const attempt = { attempt: 1, at: 0, deadline: 0, writer: { isAlive: false } };

const forgeries: [string, (row: Writable<CallRow>) => unknown][] = [
  ["another voter", (row) => Object.assign(vote(row), { by: "cy" })],
  [
    "another voter, in the event as well",
    (row) => [Object.assign(vote(row), { by: "cy" }), change(row, "voted", { by: "cy" })],
  ],
  ["another time of a vote", (row) => Object.assign(vote(row), { at: vote(row).at + 1 })],
  [
    "another time of a vote, in the event as well",
    (row) => [
      Object.assign(vote(row), { at: vote(row).at + 1 }),
      Object.assign(event(row, "voted"), { at: event(row, "voted").at + 1 }),
    ],
  ],
  ["a vote as another's", (row) => Object.assign(vote(row), { as: "confirmation" })],
  ["a vote in a group", (row) => Object.assign(vote(row), { groups: ["finance"] })],
  [
    "a vote in a group, in the event as well",
    (row) => [
      Object.assign(vote(row), { groups: ["finance"] }),
      change(row, "voted", { groups: ["finance"] }),
    ],
  ],
  ["an answer to a vote", (row) => change(row, "voted", { answerDigest: "a" })],
  ["a step that a voter left out", (row) => change(row, "voted", { declined: ["a"] })],
  ["a vote without a seal", (row) => change(row, "voted", { seal: "" })],
  [
    "a vote for other bytes",
    (row) => [change(row, "voted", { digest: "d" }), Object.assign(round(row), { digest: "d" })],
  ],
  ["a vote once more", (row) => add(row, "voted", event(row, "voted").data, event(row, "voted").at)],
  [
    "one vote more",
    (row) => [
      round(row).votes.push({ ...vote(row), by: "cy" }),
      add(row, "voted", { ...event(row, "voted").data, by: "cy" }),
    ],
  ],
  [
    "a vote taken away",
    (row) =>
      row.events.splice(
        row.events.findIndex(({ kind }) => kind === "voted"),
        1,
      ),
  ],
  ["another question", (row) => change(row, "asked", { guards: [] })],
  ["another requester", (row) => Object.assign(row, { principal: createPerson("cy") })],
  ["another key", (row) => Object.assign(row, { key: "other" })],
  ["other requirements", (row) => Object.assign(row, { requirements: [{ ruling: "ask" } as never] })],
  ["an editor", (row) => Object.assign(row, { editedBy: "bo" })],
  [
    "an editor, in the event as well",
    (row) => [
      Object.assign(row, { editedBy: "bo" }),
      change(row, "accepted", { editedBy: "bo", editors: ["bo"] }),
    ],
  ],
  [
    "a plan that it is a step of",
    (row) => Object.assign(row, { parent: { call: "call_1", step: "a", depth: 1 } }),
  ],
  ["another input", (row) => payEvil(row)],
  ["results of checks", (row) => row.payloads.push({ name: "checks", salt: "00", value: {} })],
  ["results of checks, with their event", (row) => add(row, "checked", { results: [], checks: "c" })],
  ["an answer", (row) => row.payloads.push({ name: "answer", salt: "00", value: 1 })],
  ["an escalation", (row) => add(row, "escalated", { round: 1, group: "all" })],
  ["a question that was handed over", (row) => add(row, "reassigned", { round: 1, by: "ana", to: "cy" })],
  [
    "a question that was handed over with groups, sealed as another event",
    (row) =>
      add(
        row,
        "reassigned",
        { ...event(row, "voted").data, to: "cy", groups: ["finance"] },
        event(row, "voted").at,
      ),
  ],
  ["a vote in the place of another", (row) => change(row, "voted", { inPlaceOf: ["cy"] })],
  [
    "the approval of a plan",
    (row) => add(row, "approval-inherited", { by: "call_1", votes: [], digest: "d" }),
  ],
  ["a plan that has begun", (row) => add(row, "began", {})],
  ["a state that follows from nothing", (row) => Object.assign(row, { state: "performing" })],
];

describe("[TRUST 32] forged rows never cause an effect", () => {
  it.each(forgeries)("Paraph refuses an approved call with this forgery: %s", async (_name, forge) => {
    const { ask, approve, advance, row, world, pipeline } = await bench();
    const call = await ask();
    await approve(call, "ana");
    await approve(call, "bo");
    forge(row(call));
    expect((await advance(call)).outcome).toEqual({ kind: "refused", code: "seal-invalid" });
    expect(world.effects).toBe(0);
    expect(world.metrics).toContain("paraph.seal.failures");
    expect(pipeline.store.receipt({ tenant: testTenant, call: call.call })).toBeDefined();
  });

  it.each(forgeries)(
    "Paraph rejects the next vote and voids the round after this forgery: %s",
    async (_name, forge) => {
      const { ask, approve, row, load, world } = await bench();
      const call = await ask();
      await approve(call, "ana");
      forge(row(call));
      await expect(approve(call, "bo")).rejects.toMatchObject({
        code: "approval-closed",
        message: expect.stringContaining("Request the call again"),
      });
      expect(await load(call)).toMatchObject({
        outcome: { code: "seal-invalid" },
        approval: { status: "void" },
      });
      expect(world.effects).toBe(0);
    },
  );

  it.each(forgeries)(
    "Paraph rejects an edit and a reassignment after this forgery: %s",
    async (_name, forge) => {
      const acts = [
        (about: Asked, ports: Ports) =>
          edit({ ...about, editor: createPerson("bo"), input: { to: "y" } }, ports),
        (about: Asked, ports: Ports) => reassign({ ...about, by: createPerson("bo"), to: "cy" }, ports),
      ];
      for (const act of acts) {
        const { ask, approve, row, load, world, ports, store } = await bench();
        const call = await ask();
        await approve(call, "ana");
        const { id: approval, digest } = (await load(call)).approval!;
        forge(row(call));
        await expect(act({ approval, digest }, ports)).rejects.toMatchObject({
          code: "approval-closed",
          message: expect.stringContaining("Request the call again"),
        });
        expect(await load(call)).toMatchObject({ outcome: { code: "seal-invalid" } });
        expect([store.rows().length, world.effects]).toEqual([1, 0]);
      }
    },
  );

  it("a call with a forged intent, with or without its event, ends as unknown and does not run", async () => {
    for (const told of [true, false]) {
      const { ask, advance, row, world } = await bench();
      const call = await ask();
      const forged = row(call);
      forged.intents.push({ ...attempt });
      if (told) add(forged, "intended", { attempt: 1, deadline: 0 });
      forged.state = "performing";
      expect((await advance(call)).outcome).toEqual({ kind: "unknown", code: "seal-invalid" });
      expect(world.effects).toBe(0);
    }
  });

  it("Paraph refuses a call with votes of an earlier round, of another call, or sealed by another deployment", async () => {
    const { ask, approve, advance, row, world, pipeline } = await bench();
    const [first, other] = [await ask(), await ask()];
    for (const voter of ["ana", "bo"]) await approve(first, voter);
    world.basis = 2;
    const again = await advance(first);
    expect(again).toMatchObject({ state: "asking", approval: { round: 2 } });
    const cast = row(first).events.filter(({ kind }) => kind === "voted");
    const { digest } = again.approval!;

    const third = await ask();
    for (const voter of ["ana", "bo"]) await approve(third, voter);
    const stranger = await createTestSigner();
    const moves: [Call, (data: JsonObject) => JsonObject][] = [
      [again, (data) => ({ ...data, round: 2, digest })],
      [other, (data) => ({ ...data, digest: other.approval!.digest })],
    ];
    for (const [call, changed] of moves) {
      const forged = row(call);
      for (const { data, at } of toRecorded(cast)) {
        add(forged, "voted", changed(data), at);
        round(forged).votes.push({ by: String(data.by), decision: "approve", as: "approver", at });
      }
      Object.assign(round(forged), { status: "approved" });
      forged.state = "ready";
      expect((await advance(call)).outcome).toEqual({ kind: "refused", code: "seal-invalid" });
    }
    const sealed = row(third);
    sealed.events.splice(0, sealed.events.length, ...resealed(sealed, stranger));
    expect((await advance(third)).outcome).toEqual({ kind: "refused", code: "seal-invalid" });
    expect(world.effects).toBe(0);
    expect(pipeline.signer.isSealed("x", stranger.seal("x"))).toBe(false);
  });

  it("[P7] the retry of an attempt that may have acted never sends a forged input", async () => {
    const { ask, approve, advance, row, world, pipeline } = await bench();
    world.fails = 1;
    const call = await ask();
    for (const voter of ["ana", "bo"]) await approve(call, voter);
    expect((await advance(call)).state).toBe("delayed");
    payEvil(row(call));
    await pipeline.clock.advance(60_000);
    expect((await advance(call)).outcome).toEqual({ kind: "unknown", code: "seal-invalid" });
    expect(world.effects).toBe(1);
  });

  it("a round that opened later voids an earlier intent", async () => {
    const { ask, approve, advance, row, world, pipeline } = await bench();
    world.fails = 1;
    const call = await ask();
    for (const voter of ["ana", "bo"]) await approve(call, voter);
    await advance(call);
    const forged = row(call);
    const asked = sealEvent(
      forged,
      createRawEvent("asked", 1, { round: 2 }) as UnsealedEvent<"asked">,
      pipeline.signer,
    );
    add(forged, "asked", asked.data as unknown as JsonObject, 1);
    forged.state = "performing";
    await pipeline.clock.advance(60_000);
    expect((await advance(call)).outcome).toEqual({ kind: "unknown", code: "seal-invalid" });
    expect(world.effects).toBe(1);
  });

  it("an agent that claims an offer with a forged input gets nothing to perform", async () => {
    const { ask, advance, row, ports } = await bench();
    const call = await ask("own.act");
    expect((await advance(call)).state).toBe("offered");
    payEvil(row(call));
    const claim = await claimCall({ call: call.call, by: testAgent, claimToken: "t" }, ports);
    expect(claim.perform).toBeUndefined();
    expect(claim.call.outcome).toEqual({ kind: "refused", code: "seal-invalid" });
  });

  it("an ended call whose row is set back to performing does not run again", async () => {
    const { ask, approve, advance, row, world } = await bench();
    const call = await ask();
    for (const voter of ["ana", "bo"]) await approve(call, voter);
    expect((await advance(call)).outcome?.kind).toBe("succeeded");
    const forged = row(call);
    Object.assign(forged, { state: "performing", outcome: undefined });
    await advance(call).catch(() => {});
    expect(world.effects).toBe(1);
  });
});

it("[TRUST 32] a call from before seals existed is refused with the code seal-invalid and has no effect", async () => {
  const { ask, approve, advance, row, world } = await bench();
  const call = await ask();
  for (const voter of ["ana", "bo"]) await approve(call, voter);
  for (const one of row(call).events) {
    const { seal: _none, ...data } = one.data as { seal?: string };
    Object.assign(one, { data });
  }
  expect((await advance(call)).outcome).toEqual({ kind: "refused", code: "seal-invalid" });
  expect(world.effects).toBe(0);
});

/** Returns the same events with seals of another key. */
function resealed(row: CallRow, sealer: Awaited<ReturnType<typeof createTestSigner>>) {
  const events: CallRow["events"] = [];
  for (const one of row.events)
    events.push(
      "seal" in one.data
        ? { ...sealEvent({ ...row, events }, one as UnsealedEvent<"asked">, sealer), seq: one.seq }
        : one,
    );
  return events;
}
