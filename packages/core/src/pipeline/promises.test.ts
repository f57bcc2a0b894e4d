import { describe, expect, it } from "vitest";
import {
  createPerson,
  createTestPipeline,
  testAgent,
  testTenant,
} from "../../../../test/support/test-pipeline.ts";
import type { Call } from "../call.ts";
import { Catalog } from "../capability/catalog.ts";
import type { Json } from "../json.ts";
import type { Policy } from "../policy/policy.ts";
import type { Ports } from "../ports.ts";
import type { Principal } from "../principal.ts";
import { verifyReceipt } from "../receipts/verify.ts";
import { createPlainPolicy } from "../testing/plain-policy.ts";
import { ExternalSystem, externalRules } from "../testing/simulation/external-system.ts";
import { admit } from "./admission/admit.ts";
import { advance, continueCall } from "./advance.ts";
import { decide } from "./approval/decide.ts";

/**
 * Runs one call at a time, in plain order, to test each promise by itself. The storm tests cover all of them together.
 */
async function bench() {
  const pipeline = await createTestPipeline("promises");
  const { clock, store } = pipeline;
  const outside = new ExternalSystem(clock);
  /** The points at which the process is stopped, by name. */
  const gates = new Map<string, Promise<void>>();
  const host = { gate: async (label: string) => gates.get(label), alive: () => true };
  let policy: Policy = createPlainPolicy(externalRules);
  const given = {
    policy: { current: () => policy.current(testTenant), refresh: async () => {} },
    catalog: new Catalog(outside.createCapabilities(host)),
  };
  const ports: Ports = pipeline.ports(given);
  const load = async (call: Pick<Call, "call">) =>
    (await store.load({ tenant: testTenant, call: call.call }))!;
  return {
    ...pipeline,
    given,
    outside,
    gates,
    load,
    ports: (own: Partial<Ports> = {}): Ports => ({ ...ports, ...own }),
    become: (next: Policy) => {
      policy = next;
    },
    async admit(
      capability: string,
      input: Record<string, Json> = {},
      own: Partial<Ports> = {},
      performsHere = () => false,
    ) {
      const request = { principal: testAgent, capability, input: { target: "t", ...input } };
      return (await admit(request, { ...ports, ...own }, performsHere)).call;
    },
    async advance(call: Call) {
      await advance(call, ports);
      return load(call);
    },
    async approve(call: Call, voter: Principal = createPerson("ana"), digest = call.approval!.digest) {
      const answer = { approval: call.approval!.id, decision: "approve", voter, digest } as const;
      return (await decide(answer, ports)).call;
    },
  };
}

const forEver = new Promise<never>(() => {});
const turnOfEvents = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("admission", () => {
  it("[P2] the requester gets a call only after the store has written it", async () => {
    const { admit, store } = await bench();
    let told = false;
    const slow = { ...store.startProcess(), open: () => forEver };
    void admit("natural.allowed", {}, { store: slow }).then(() => {
      told = true;
    });
    await turnOfEvents();
    expect(told).toBe(false);
    const away = { ...slow, open: () => Promise.reject(new Error("the store is away")) };
    await expect(admit("natural.allowed", {}, { store: away })).rejects.toThrow("the store is away");
  });

  it("[P11] refuses a call whose cost cannot be computed, and names the capability", async () => {
    const { admit, given, store } = await bench();
    const costs: (() => number)[] = [
      () => {
        throw new Error("a secret of the input");
      },
      () => 0.5,
      () => -1,
    ];
    for (const cost of costs) {
      const priced = given.catalog.everything().map((capability) => ({ ...capability, cost }));
      const refused = admit("natural.allowed", {}, { catalog: new Catalog(priced) });
      await expect(refused).rejects.toMatchObject({
        code: "input-invalid",
        message: expect.stringMatching(/^Paraph cannot compute the cost of `natural.allowed`/),
      });
    }
    expect(store.calls()).toEqual([]);
  });

  it("[P10] stores lock keys only as digests, and the same key has the same digest within a tenant", async () => {
    const { admit } = await bench();
    const [one, other] = [
      await admit("natural.allowed", { locks: ["card 4711"] }),
      await admit("natural.allowed", { locks: ["card 4712", "card 4711"] }),
    ];
    expect(one.lockKeys).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
    expect(other.lockKeys).toContain(one.lockKeys[0]);
    expect(other.lockKeys).toEqual(other.lockKeys.toSorted());
  });
});

describe("an approval", () => {
  it("[P5] counts only from a person, never from an agent or a service", async () => {
    const { admit, approve, load, store } = await bench();
    const call = await admit("natural.asked");
    for (const kind of ["agent", "service"] as const) {
      const machine = { tenant: testTenant, id: `other-${kind}`, kind };
      store.addPrincipal(machine);
      await expect(approve(call, machine)).rejects.toThrow(/Only a person can decide/);
    }
    expect(await load(call)).toEqual(call);
  });

  it.each([
    ["input", { target: "vault", locks: [], acts: [], looks: [] }, "seal-invalid"],
    ["preview", { changes: [], basis: 0 }, "approval-mismatch"],
    ["headline", "Update another target", "approval-mismatch"],
  ] as const)(
    "[P5] [TRUST 1] covers exactly the approved bytes, and a stored %s that changed later is refused",
    async (name, value, code) => {
      const { admit, approve, advance, outside, store } = await bench();
      const call = await approve(await admit("natural.asked"));
      const row = store.rows()[0]!;
      const stored = row.payloads.find((one) => one.name === name)!;
      const basis = name === "preview" ? { basis: (stored.value as { basis: number }).basis } : {};
      const altered = typeof value === "string" ? value : { ...value, ...basis };
      row.payloads.push({ ...stored, value: altered as never });
      expect(await advance(call)).toMatchObject({ outcome: { kind: "refused", code } });
      expect(outside.effects).toEqual([]);
    },
  );

  it("[P5] [P11] is void if policy forbids the call before the intent, and the call is refused", async () => {
    const { admit, approve, advance, become, outside } = await bench();
    const call = await approve(await admit("natural.asked"));
    become(createPlainPolicy({ ...externalRules, "natural.asked": "block" }));
    expect(await advance(call)).toMatchObject({
      outcome: { kind: "refused", code: "forbidden" },
      approval: { status: "void" },
      attempts: [],
    });
    expect(outside.effects).toEqual([]);
  });

  it("[P5] is not enough if policy requires a second person before the intent, and Paraph asks again", async () => {
    const { admit, approve, advance, become, outside } = await bench();
    const call = await approve(await admit("natural.asked"));
    become(createPlainPolicy({ ...externalRules, "natural.asked": { ask: 2 } }));
    expect(await advance(call)).toMatchObject({ state: "asking", approval: { round: 2, status: "open" } });
    expect(outside.effects).toEqual([]);
  });

  it("[P5] does not count after the basis changed, and Paraph asks again in a new round", async () => {
    const { admit, approve, advance, outside } = await bench();
    const call = await approve(await admit("natural.asked"));
    outside.changeTarget("t");
    expect(await advance(call)).toMatchObject({ state: "asking", approval: { round: 2, status: "open" } });
    expect(outside.effects).toEqual([]);
  });
});

describe("a call that was allowed", () => {
  it("[P11] is refused if policy forbids it before the intent", async () => {
    const { admit, advance, become, outside } = await bench();
    const call = await admit("natural.allowed");
    become(createPlainPolicy({ ...externalRules, "natural.allowed": "block" }));
    expect(await advance(call)).toMatchObject({ outcome: { kind: "refused", code: "forbidden" } });
    expect(outside.effects).toEqual([]);
  });

  it("is performed only under exactly the contract it was admitted under", async () => {
    const { admit, clock, load, ports, outside, given } = await bench();
    const call = await admit("natural.allowed");
    const changed = given.catalog
      .everything()
      .map((capability) => ({ ...capability, contractDigest: "another" }));
    await advance(call, ports({ catalog: new Catalog(changed) }));
    expect(await load(call)).toMatchObject({ outcome: { kind: "superseded", code: "contract-changed" } });
    expect(outside.effects).toEqual([]);
    const other = await admit("natural.allowed");
    const without = ports({ catalog: new Catalog([]) });
    // A process with this contract may still start. A process without the contract closes the call only after none has
    // started in time.
    expect(await advance(other, without)).toMatchObject({ skipped: "contract-not-here", wakes: [] });
    await clock.advance(15 * 60_000);
    await advance(other, without);
    expect(await load(other)).toMatchObject({ outcome: { kind: "refused", code: "contract-changed" } });
  });
});

describe("an effect", () => {
  it("[P7] happens only after its intent is stored", async () => {
    const { admit, advance, outside, store } = await bench();
    const rows: unknown[] = [];
    outside.onEffect = () => {
      rows.push(...store.calls());
    };
    await advance(await admit("natural.allowed"));
    expect(rows).toMatchObject([{ state: "performing", attempts: [{ number: 1, writerGone: false }] }]);
  });

  it("[P7] happens only after its intent is stored, also if admission wrote the intent", async () => {
    const { admit, outside, ports, store } = await bench();
    const rows: unknown[] = [];
    outside.onEffect = () => {
      rows.push(...store.calls());
    };
    await continueCall(await admit("natural.allowed", {}, {}, () => true), ports());
    expect(rows).toMatchObject([{ state: "performing", epoch: 1, attempts: [{ number: 1 }] }]);
  });

  it("[locks] does not start at admission if its call needs locks", async () => {
    const { admit } = await bench();
    const call = await admit("natural.allowed", { locks: ["a"] }, {}, () => true);
    expect(call).toMatchObject({ state: "ready", attempts: [] });
  });

  it("[locks] happens while its call holds its locks, which are released when the call ends", async () => {
    const { admit, advance, outside, store } = await bench();
    const held: unknown[] = [];
    outside.onEffect = () => {
      held.push(...store.getLocks(testTenant).listHeld());
    };
    const call = await advance(await admit("natural.allowed", { locks: ["a", "b"] }));
    expect(held).toEqual(call.lockKeys.map((key) => ({ key, call: call.call })));
    expect(held).toHaveLength(2);
    expect(store.getLocks(testTenant).listHeld()).toEqual([]);
  });
});

describe("an attempt whose effect is unknown", () => {
  it("[P7] [P8] is not retried if the contract has neither key nor probe", async () => {
    const { admit, advance, outside } = await bench();
    const call = await advance(await admit("none.allowed", { acts: ["after"] }));
    expect(call).toMatchObject({ state: "closed", outcome: { kind: "unknown" } });
    expect(outside.effects).toHaveLength(1);
  });

  it("[P7] is not retried after its process died if the contract has neither key nor probe", async () => {
    const { admit, advance: go, gates, given, outside, ports, store } = await bench();
    const call = await admit("none.allowed");
    const life = store.startProcess();
    gates.set("effect", forEver);
    void advance(call, ports({ ...given, store: life }));
    await expect.poll(() => outside.effects.length).toBe(1);
    life.die();
    gates.clear();
    expect(await go(call)).toMatchObject({ outcome: { kind: "unknown", code: "no-key-no-probe" } });
    expect(outside.effects).toHaveLength(1);
  });

  it("[P7] keeps its locks when the outcome of its call is unknown", async () => {
    const { admit, advance, store } = await bench();
    const call = await advance(await admit("none.allowed", { acts: ["after"], locks: ["a"] }));
    expect(call.outcome?.kind).toBe("unknown");
    expect(store.getLocks(testTenant).listHeld()).toMatchObject([{ call: call.call }]);
    expect(await advance(await admit("none.allowed", { locks: ["a"] }))).toMatchObject({ state: "queued" });
  });
});

describe("a back-off", () => {
  it("[P15] ends immediately if the clock that started it was set back since then", async () => {
    const { admit, clock, load, ports } = await bench();
    const month = 30 * 24 * 3_600_000;
    const ahead = ports({
      clock: {
        now: () => clock.now() + month,
        sleep: (ms) => clock.sleep(ms),
        deadline: (ms) => clock.deadline(ms),
      },
    });
    const call = await admit("natural.allowed", { acts: ["not-performed"] });
    await advance(call, ahead);
    expect(await load(call)).toMatchObject({ state: "delayed" });
    await advance(call, ports());
    expect(await load(call)).toMatchObject({ outcome: { kind: "succeeded" } });
  });
});

describe("a receipt", () => {
  it("[P2] contains every event of its call and no other event", async () => {
    const { admit, approve, advance, signer, store } = await bench();
    const call = await advance(await approve(await admit("natural.asked", { locks: ["a"] })));
    const bundle = {
      mediaType: "application/vnd.paraph.receipt.v1+json",
      envelope: store.envelope(call),
      disclosures: call.payloads,
    };
    expect(call.events.length).toBeGreaterThan(6);
    await expect(verifyReceipt(bundle, [signer.publicKey])).resolves.toMatchObject({
      story: { events: call.events, outcome: call.outcome },
    });
  });
});
