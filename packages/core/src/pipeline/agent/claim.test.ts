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
import type { Json } from "../../json.ts";
import type { Limit } from "../../limit.ts";
import type { Ports } from "../../ports.ts";
import { verifyReceipt } from "../../receipts/verify.ts";
import { createPlainPolicy } from "../../testing/plain-policy.ts";
import { admit } from "../admission/admit.ts";
import { edit } from "../admission/edit.ts";
import { advance } from "../advance.ts";
import { decide } from "../approval/decide.ts";
import { withdrawCall } from "../approval/withdraw.ts";
import { claimCall } from "./claim.ts";
import { type Report, reportResult } from "./report.ts";

const minute = 60_000;
const hour = 60 * minute;
const done: Report = { as: "succeeded", output: { sent: "m1" } };
const refused: Report = { as: "not-performed", code: "mailbox-full", message: "The mailbox is full." };
const doubtful: Report = { as: "ambiguous", code: "timeout", message: "Nobody answered." };

/** The state of the external system, as previews see it. */
let basis = 0;

const capabilities = (version = 1) => {
  const common = {
    version,
    summary: "Send a message",
    performer: "agent",
    input: z.object({ to: z.string() }),
    output: z.object({ sent: z.string() }),
    timeout: "1m",
  } as const;
  const write = { ...common, effect: "write", idempotency: "none" } as const;
  const preview = async () => ({ changes: [], basis });
  return [
    defineCapability({ ...write, name: "own.send" }),
    defineCapability({ ...write, name: "asked.send", preview }),
    defineCapability({ ...write, name: "paid.send", cost: () => 5 }),
    defineCapability({ ...common, effect: "read", idempotency: "natural", name: "own.look" }),
  ];
};

const rules = {
  "own.send": "allow",
  "own.look": "allow",
  "paid.send": "allow",
  "asked.send": { ask: 1 },
} as const;

async function bench() {
  basis = 0;
  const pipeline = await createTestPipeline("taking");
  pipeline.store.addPrincipal(createPerson("bo"));
  const { store, clock, signer } = pipeline;
  const ports = (given: Partial<Ports> = {}) =>
    pipeline.ports({ policy: createPlainPolicy(rules), catalog: new Catalog(capabilities()), ...given });
  const load = async ({ call }: Pick<Call, "call">) => (await store.load({ tenant: testTenant, call }))!;
  const go = async (call: Pick<Call, "call">, given: Partial<Ports> = {}) => {
    await advance({ tenant: testTenant, call: call.call }, ports(given));
    return load(call);
  };
  const ask = async (capability: string, input: Json = { to: "bo" }) =>
    (await admit({ principal: testAgent, capability, input }, ports(), () => true)).call;
  return {
    ...pipeline,
    ports,
    load,
    go,
    ask,
    /** Requests a call and approves it if needed, so that it waits for the agent. */
    async offered(capability = "own.send") {
      const call = await ask(capability);
      if (call.approval) {
        const { id, digest } = call.approval;
        await decide({ approval: id, digest, decision: "approve", voter: createPerson("ana") }, ports());
      }
      return go(call);
    },
    take: (call: Pick<Call, "call">, claimToken = "ticket-1", given: Partial<Ports> = {}, by = testAgent) =>
      claimCall({ call: call.call, by, claimToken: claimToken }, ports(given)),
    report: (
      call: Pick<Call, "call">,
      report: Report,
      claimToken = "ticket-1",
      given: Partial<Ports> = {},
      by = testAgent,
    ) => reportResult({ call: call.call, by, claimToken: claimToken, report }, ports(given)),
    async receiptOf({ call }: Pick<Call, "call">) {
      const envelope = store.envelope({ tenant: testAgent.tenant, call });
      const mediaType = "application/vnd.paraph.receipt.v1+json";
      return (await verifyReceipt({ mediaType, envelope, disclosures: {} }, [signer.publicKey])).story;
    },
    clock,
  };
}

const events = (call: Call) => call.events.map(({ kind }) => kind);

describe("a call that the agent performs itself", () => {
  it("is offered, claimed and reported, and its receipt names the agent as performer", async () => {
    const { offered, take, report, receiptOf } = await bench();
    const call = await offered();
    expect([call.state, call.attempts]).toEqual(["offered", []]);
    const { call: taken, perform } = await take(call);
    expect(perform).toMatchObject({ attempt: 1, withinMs: minute, input: { to: "bo" } });
    expect(taken.state).toBe("performing");
    const { call: ended } = await report(call, done);
    expect([ended.outcome, ended.payloads.output?.value]).toEqual([
      { kind: "succeeded", code: "done" },
      { sent: "m1" },
    ]);
    expect(events(ended)).toEqual(["accepted", "ruled", "offered", "intended", "attempted", "closed"]);
    expect(await receiptOf(call)).toMatchObject({ performer: "agent", attempts: 1 });
  });

  it("[P7] is never performed by a segment, in any state", async () => {
    const { offered, take, go, clock } = await bench();
    for (const name of ["own.send", "own.look"]) {
      const call = await offered(name);
      expect((await go(call)).state).toBe("offered");
      await take(call);
      expect((await go(call)).state).toBe("performing");
      await clock.advance(minute + 6_000, async () => {});
      expect((await go(call)).attempts).toMatchObject([{ number: 1, ended: "lost" }]);
    }
  });

  it("[TRUST 9] can be claimed and reported only by its requester; all others get `call-unknown`", async () => {
    const { offered, take, report } = await bench();
    const call = await offered();
    for (const by of [
      createPerson("owner"),
      { ...testAgent, id: "other" },
      { ...testAgent, tenant: "elsewhere" },
    ]) {
      await expect(take(call, "ticket-1", {}, by)).rejects.toMatchObject({ code: "call-unknown" });
      await expect(report(call, done, "ticket-1", {}, by)).rejects.toMatchObject({ code: "call-unknown" });
    }
  });
});

describe("an offer", () => {
  it("[P4] that is not claimed in time expires and can no longer be claimed", async () => {
    const { offered, take, go, clock } = await bench();
    const call = await offered("asked.send");
    await clock.advance(hour - 1_000, async () => {});
    expect((await go(call)).state).toBe("offered");
    await clock.advance(1_000, async () => {});
    const late = await take(call);
    expect([late.perform, late.call.outcome]).toEqual([undefined, { kind: "expired", code: "not-claimed" }]);
    expect((await go(call)).attempts).toEqual([]);
    await expect(take(call)).rejects.toMatchObject({ code: "call-closed" });
  });

  it("[P15] expires by the store's clock alone, both for a claim and for a segment", async () => {
    const { offered, take, go, clock, ports } = await bench();
    const at = (ms: number) => ({ clock: { ...ports().clock, now: () => clock.now() + ms } });
    const call = await offered();
    expect((await go(call, at(2 * hour))).state).toBe("offered");
    await clock.advance(hour, async () => {});
    expect((await take(call, "ticket-1", at(-2 * minute))).perform).toBeUndefined();
    expect((await go(call)).outcome).toEqual({ kind: "expired", code: "not-claimed" });
  });

  it("can be withdrawn until it is claimed", async () => {
    const { offered, take, ports } = await bench();
    const call = await offered();
    await withdrawCall({ call: call.call, by: testAgent }, ports());
    await expect(take(call)).rejects.toMatchObject({ code: "call-closed" });
    const other = await offered();
    await take(other);
    await expect(withdrawCall({ call: other.call, by: testAgent }, ports())).rejects.toMatchObject({
      code: "call-acting",
    });
  });

  it("does not exist before approvers have decided", async () => {
    const { ask, take, report } = await bench();
    const call = await ask("asked.send");
    await expect(take(call)).rejects.toMatchObject({ code: "not-offered" });
    await expect(report(call, done)).rejects.toMatchObject({ code: "not-claimed" });
  });
});

describe("a claim", () => {
  it("with another claim token is refused; with the same token it gets the same response", async () => {
    const { offered, take } = await bench();
    const call = await offered();
    const first = await take(call);
    await expect(take(call, "ticket-2")).rejects.toMatchObject({ code: "already-claimed" });
    expect((await take(call)).perform).toEqual(first.perform);
  });

  it("succeeds only once among 20 concurrent claims", async () => {
    const { offered, take, load } = await bench();
    const call = await offered();
    const answers = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) => take(call, `ticket-${index}`)),
    );
    const taken = answers.filter((answer) => answer.status === "fulfilled");
    expect(taken.length).toBe(1);
    expect((await load(call)).attempts.length).toBe(1);
  });

  it("[P5] revalidates the call; if the basis changed, Paraph asks again and the agent performs nothing", async () => {
    const { offered, take, load } = await bench();
    const call = await offered("asked.send");
    basis = 1;
    const { perform, call: now } = await take(call);
    expect([perform, now.state, now.approval?.round]).toEqual([undefined, "asking", 2]);
    expect((await load(call)).attempts).toEqual([]);
  });

  it("[P5] evaluates policy again, and a call that policy now blocks is refused", async () => {
    const { offered, take } = await bench();
    const call = await offered("asked.send");
    const { perform, call: now } = await take(call, "ticket-1", { policy: createPlainPolicy({}) });
    expect([perform, now.outcome?.kind]).toEqual([undefined, "refused"]);
  });

  it("[P6] returns the input that a person edited, and the original call cannot be claimed", async () => {
    const { ask, ports, go, take } = await bench();
    const call = await ask("asked.send");
    const { id, digest } = call.approval!;
    const edited = await edit(
      { approval: id, digest, editor: createPerson("ana"), input: { to: "cy" }, reason: "Not Bo." },
      ports(),
    );
    const next = edited.call.approval!;
    await decide(
      { approval: next.id, digest: next.digest, decision: "approve", voter: createPerson("bo") },
      ports(),
    );
    await go(edited.call);
    expect((await take(edited.call)).perform?.input).toEqual({ to: "cy" });
    await expect(take(call)).rejects.toMatchObject({ code: "call-closed" });
  });

  it("[TRUST 25] of a frozen call parks the call, which is offered again after the thaw", async () => {
    const { offered, take, store, go } = await bench();
    const call = await offered();
    store.freeze(testTenant, { id: "freeze_1", kind: "tenant", subject: testTenant, by: "ana" });
    const { perform, call: now } = await take(call);
    expect([perform, now.state]).toEqual([undefined, "parked"]);
    store.thaw(testTenant, "freeze_1");
    expect((await go(call)).state).toBe("offered");
    expect((await take(call)).perform).toBeDefined();
  });

  it("is subject to limits like any intent, and a spent budget refuses the call", async () => {
    const { offered, take, ports } = await bench();
    const limit: Limit = { id: "budget", kind: "money", key: "all", windowMs: hour, max: 9, amount: 5 };
    const settings = { settings: { ...ports().settings, limits: () => [limit] } };
    const [first, second] = [await offered("paid.send"), await offered("paid.send")];
    expect((await take(first, "ticket-1", settings)).perform).toBeDefined();
    const { perform, call } = await take(second, "ticket-1", settings);
    expect([perform, call.outcome]).toEqual([undefined, { kind: "refused", code: "limit-reached" }]);
  });

  it("[P5] under another contract supersedes the call instead of performing it", async () => {
    const { offered, take } = await bench();
    const call = await offered();
    const { perform, call: now } = await take(call, "ticket-1", { catalog: new Catalog(capabilities(2)) });
    expect([perform, now.outcome]).toEqual([undefined, { kind: "superseded", code: "contract-changed" }]);
  });
});

describe("a report", () => {
  it("[P8] of `not-performed` fails the call, and a report of `ambiguous` ends it unknown", async () => {
    const { offered, take, report } = await bench();
    for (const [said, outcome] of [
      [refused, { kind: "failed", code: "mailbox-full" }],
      [doubtful, { kind: "unknown", code: "timeout" }],
    ] as const) {
      const call = await offered();
      await take(call);
      expect((await report(call, said)).call.outcome).toEqual(outcome);
    }
  });

  it("[P9] with an output that violates the contract closes the call as performed and withholds the output", async () => {
    const { offered, take, report } = await bench();
    const call = await offered();
    await take(call);
    const { call: ended } = await report(call, { as: "succeeded", output: { nothing: "of the kind" } });
    expect([ended.outcome?.code, ended.payloads.output]).toEqual(["output-invalid", undefined]);
  });

  it("counts once if it is repeated; a different report or another claim token is refused", async () => {
    for (const said of [done, refused, doubtful]) {
      const { offered, take, report } = await bench();
      const call = await offered();
      await take(call);
      await expect(report(call, said, "ticket-2")).rejects.toMatchObject({ code: "not-claimed" });
      const first = await report(call, said);
      expect((await report(call, said)).call).toEqual(first.call);
      for (const other of [done, refused, doubtful, { ...done, output: { sent: "m2" } }].filter(
        (o) => o !== said,
      ))
        await expect(report(call, other)).rejects.toMatchObject({ code: "call-closed" });
    }
  });

  it("[P15] is accepted until the deadline by the store's clock; after that the call ends unknown", async () => {
    const { offered, take, report, go, clock, ports, receiptOf } = await bench();
    const at = (ms: number) => ({ clock: { ...ports().clock, now: () => clock.now() + ms } });
    const call = await offered();
    await take(call);
    expect((await go(call, at(hour))).state).toBe("performing");
    await clock.advance(minute, async () => {});
    await expect(report(call, done, "ticket-1", at(-hour))).rejects.toMatchObject({ code: "report-late" });
    await clock.advance(6_000, async () => {});
    expect((await go(call)).outcome).toEqual({ kind: "unknown", code: "not-reported" });
    await expect(report(call, done)).rejects.toMatchObject({ code: "report-late" });
    expect((await receiptOf(call)).performer).toBe("agent");
  });

  it("[P7] is still accepted after the process that wrote the intent has died", async () => {
    const { offered, take, report, go, store, clock } = await bench();
    const call = await offered();
    const process = store.startProcess();
    await take(call, "ticket-1", { store: process });
    process.die();
    await clock.advance(minute - 1, async () => {});
    expect((await go(call)).state).toBe("performing");
    expect((await report(call, done)).call.outcome?.kind).toBe("succeeded");
  });

  it("that never comes fails a read, because a read has no effect", async () => {
    const { offered, take, go, clock } = await bench();
    const call = await offered("own.look");
    await take(call);
    await clock.advance(minute + 6_000, async () => {});
    expect((await go(call)).outcome).toEqual({ kind: "failed", code: "not-reported" });
  });

  it("to a process with another contract is accepted, and its output is withheld", async () => {
    const { offered, take, report } = await bench();
    const call = await offered();
    await take(call);
    const { call: ended } = await report(call, done, "ticket-1", { catalog: new Catalog(capabilities(2)) });
    expect([ended.outcome, ended.payloads.output]).toEqual([
      { kind: "succeeded", code: "contract-changed" },
      undefined,
    ]);
  });
});
