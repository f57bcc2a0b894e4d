import { afterAll, describe, expect, it } from "vitest";
import { listCalls } from "../../../postgres/index.ts";
import {
  adminTestTenant,
  createAgentCall,
  createTestAdmin,
  readFault,
} from "../testing/create-test-admin.ts";

const { capability, close, database, db, perform, sent, sight, store } = await createTestAdmin();
afterAll(close);

const openAgentCall = async (call: string, given: Parameters<typeof createAgentCall>[1]) =>
  expect((await store.open(createAgentCall(call, given))).kind).toBe("opened");

describe("[TRUST 25] admin.freeze and admin.thaw", () => {
  it("[P3] shows what it would stop, and stops nothing", async () => {
    await openAgentCall("call_waiting", { state: "ready" });
    await openAgentCall("call_acting", { state: "performing", intent: true });
    const { changes } = await sight("freeze", { kind: "principal", subject: "bot" });
    expect(changes).toEqual([
      {
        kind: "other",
        target: "bot",
        summary:
          "Frozen until an administrator thaws it. 1 open call would wait, and Paraph would accept no new ones. 1 call may be acting now.",
        details: {
          held: 1,
          agents: 1,
          inFlight: [expect.objectContaining({ call: "call_acting", attempt: 1 })],
        },
      },
    ]);
    const countHeld = async (kind: string, subject: string) =>
      (await sight("freeze", { kind, subject })).changes[0]?.details?.held;
    expect(await countHeld("capability", "things.write")).toBe(1);
    expect(await countHeld("capability", "things.erase")).toBe(0);
    expect(await countHeld("adapter", "things")).toBe(1);
    expect(await countHeld("tenant", "acme")).toBe(1);
    const { changes: all } = await sight("freeze", { kind: "tenant", subject: "acme" });
    expect(all[0]?.summary).toContain("Every agent and service would stop (1 in all).");
    expect(await database.query("select from paraph.freeze")).toEqual([]);
  });

  it("freezes, lists the calls in flight, and creates no second freeze if it is repeated", async () => {
    const input = { kind: "principal", subject: "bot", reason: "it runs away" };
    const output = await perform("freeze", input, { call: "call_f1" });
    expect(output).toEqual({
      freeze: "freeze_f1",
      inFlight: [
        { call: "call_acting", capability: "things.write", attempt: 1, at: expect.stringMatching(/Z$/) },
      ],
    });
    expect(await perform("freeze", input, { call: "call_f1" })).toEqual(output);
    expect(await database.query("select id, subject, by from paraph.freeze")).toEqual([
      { id: "freeze_f1", subject: "bot", by: "ana" },
    ]);
    expect(capability("freeze").undo!(input, output)).toEqual({
      capability: "admin.thaw",
      input: { freeze: "freeze_f1" },
    });
  });

  it("the thaw counts the calls that the preview of the freeze counted, and lists them", async () => {
    const { changes } = await sight("thaw", { freeze: "freeze_f1" });
    expect(changes[0]?.summary).toMatch(
      /^Frozen by ana since \d+ \w+ \d{4}, \d\d:\d\d UTC\. It holds 1 open call\.$/,
    );
    const reader = { tenant: adminTestTenant, id: "ana", kind: "person" } as const;
    const list = async (heldBy: string) =>
      (await listCalls(db.app, reader, { heldBy, limit: 50 })).calls.map(({ call }) => call);
    expect(await list("freeze_f1")).toEqual(["call_waiting"]);
    expect(await list("freeze_f9")).toEqual([]);
  });

  it("a thaw resumes calls that only its freeze held, and not calls that another freeze holds", async () => {
    await database.query("update paraph.call set state = 'parked' where id = 'call_waiting'");
    await openAgentCall("call_other", { state: "parked", capability: "things.erase" });
    await perform("freeze", { kind: "capability", subject: "things.erase" }, { call: "call_f2" });

    const { changes, basis } = await sight("thaw", { freeze: "freeze_f1" });
    expect(changes[0]?.summary).toMatch(
      /UTC\. It holds 2 open calls\. 1 was stopped and continues at once\. 1 stays frozen by another freeze\.$/,
    );
    expect(basis).toEqual({ freeze: "freeze_f1" });
    const thawedAt = Date.now();
    expect(await perform("thaw", { freeze: "freeze_f1" })).toEqual({ resumed: 1 });
    expect(sent.map(({ call }) => call)).toEqual(["call_waiting"]);
    // Paraph wakes the call only after every process knows of the thaw. A process that still applied the freeze would
    // park the call again.
    expect(sent[0]?.at).toBeGreaterThanOrEqual(thawedAt + 1_000);
    expect(await readFault(sight("thaw", { freeze: "freeze_f1" }))).toBe("permanent already-thawed");
    expect(await readFault(sight("thaw", { freeze: "freeze_f9" }))).toBe("permanent freeze-unknown");
    expect(await perform("thaw", { freeze: "freeze_f2" })).toEqual({ resumed: 2 });
  });

  it("refuses an unknown subject, another tenant, and administration itself", async () => {
    const freeze = (kind: string, subject: string) => readFault(sight("freeze", { kind, subject }));
    for (const [kind, subject] of [
      ["principal", "bott"],
      ["capability", "things.wrote"],
      ["adapter", "thing"],
      ["tenant", "evil"],
    ] as const)
      expect(await freeze(kind, subject)).toBe("permanent subject-unknown");
    expect(await freeze("adapter", "admin")).toBe("permanent never-frozen");
    expect(await freeze("capability", "admin.thaw")).toBe("permanent never-frozen");
  });
});
