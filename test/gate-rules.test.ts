import type { RecordedEvent } from "@paraph/core";
import { describe, expect, it } from "vitest";
import { freezesHold } from "../lab/history/freezes.ts";
import { checksPassed, grantsAreExact, spendingIsReal } from "../lab/history/gates.ts";
import type {
  FreezeRecord,
  GateState,
  LabHistory,
  LedgerCall,
  WrittenEvent,
} from "../lab/history/history.ts";
import { type HistoryIndex, indexHistory, type Violation } from "../lab/history/history-index.ts";
import { checkLimits, computePeak, type LimitBounds } from "../lab/limits/check-limits.ts";
import type { OracleRecord } from "../lab/oracle/oracle.ts";

/** Creates a call with the fields that these rules read. The time of an event is its index. */
function call(
  id: string,
  capability: string,
  given: {
    events?: [RecordedEvent["kind"], RecordedEvent["data"]?][];
    input?: object;
    outcome?: string;
    principal?: string;
  } = {},
): LedgerCall {
  const { events = [], input = {}, outcome = "succeeded", principal = "agent" } = given;
  return {
    call: id,
    capability,
    principal: { tenant: "acme", id: principal, kind: "agent" },
    ...(outcome !== "open" && { outcome: { kind: outcome, code: "done" } }),
    events: events.map(([kind, data = {}], at) => ({ seq: at + 1, kind, at, data })),
    payloads: { input: { salt: "", value: { name: "n", ...input } } },
  } as unknown as LedgerCall;
}

const effect = (of: string, given: Partial<OracleRecord> = {}): OracleRecord => ({
  at: 10,
  kind: "keyed",
  call: of,
  key: of,
  digest: "",
  verdict: "performed",
  ...given,
});

function seen(given: Partial<LabHistory> & { ledger: readonly LedgerCall[] }): HistoryIndex {
  const meta = { run: "test", seed: 1, startedAt: 0, minSucceeded: 0, keys: [], ...given.meta };
  return { ...indexHistory({ client: [], oracle: [], leftovers: [], ...given, meta }), skew: 0 };
}

const said = (violations: readonly Violation[]) => violations.map(({ call, what }) => `${call} ${what}`);

describe("checksPassed [P11]", () => {
  const passed: [RecordedEvent["kind"], RecordedEvent["data"]] = [
    "checked",
    { results: [{ check: "a", passed: true }] },
  ];

  it("accepts an effect after a check that passed", () => {
    const ledger = [call("c", "checked.keyed", { events: [["accepted"], passed, ["intended"]] })];
    expect(checksPassed(seen({ ledger, oracle: [effect("c")] }))).toEqual([]);
  });

  it.each<[string, [RecordedEvent["kind"], RecordedEvent["data"]?][]]>([
    ["none", [["accepted"]]],
    ["one that failed", [["checked", { results: [{ check: "a", passed: false }] }]]],
    ["one that could not be run", [["checked", { results: [{ check: "a", passed: true, error: true }] }]]],
    ["one without results", [["checked", { results: [] }]]],
  ])("reports an effect whose preceding check is %s", (_, events) => {
    const ledger = [call("c", "checked.keyed", { events })];
    expect(said(checksPassed(seen({ ledger, oracle: [effect("c")] })))).toEqual([
      "c had an effect before its check had passed",
    ]);
  });

  it("reports an effect before the check, and an effect that no check could let pass", () => {
    const late = call("c", "checked.keyed", { events: [["accepted"], ["ruled"], passed] });
    const early = seen({ ledger: [late], oracle: [effect("c", { at: 1 })] });
    expect(said(checksPassed(early))).toEqual(["c had an effect before its check had passed"]);
    const bad = call("c", "checked.keyed", { events: [passed], input: { name: "bad-1" } });
    expect(said(checksPassed(seen({ ledger: [bad], oracle: [effect("c")] })))).toEqual([
      "c had an effect that no check could have let pass",
    ]);
  });
});

describe("grantsAreExact [TRUST 15]", () => {
  const using = (
    id: string,
    more: [RecordedEvent["kind"], RecordedEvent["data"]?][] = [],
    name = "granted-1",
  ) =>
    call(id, "asked.keyed", { events: [["intended", { attempt: 1, grant: "g" }], ...more], input: { name } });
  const grant = { id: "g", bounds: '{"name":{"startsWith":"granted-"}}', countLeft: 8, amountLeft: 60 };
  const told = (given: Partial<GateState["grants"][number]>, ledger: readonly LedgerCall[]) => {
    const grants = [{ ...grant, intents: 2, amount: 40, ...given }];
    const meta = { granted: { g: { count: 10, amount: 100 } } } as unknown as LabHistory["meta"];
    const oracle = ledger.map((each) => effect(each.call));
    return said(
      grantsAreExact(seen({ ledger, oracle, meta, gates: { usage: [], reservations: [], grants } })),
    );
  };
  const returned: [RecordedEvent["kind"], RecordedEvent["data"]] = [
    "attempted",
    { attempt: 1, as: "not-performed" },
  ];

  it("accepts a grant that is spent once per intent, and given back by an attempt that was not performed", () => {
    expect(told({}, [using("a"), using("b"), using("c", [returned])])).toEqual([]);
  });

  it("reports a wrong count or amount, a use beyond the count, and a use that the grant does not cover", () => {
    expect(told({ countLeft: 9 }, [using("a"), using("b")])[0]).toContain("lost 1, while 2 intents");
    expect(told({}, [using("a")])[0]).toContain("lost 2, while 2 intents rest on it and 1 events say so");
    expect(told({ amountLeft: 50 }, [using("a"), using("b")])[0]).toContain("lost an amount of 50");
    const many = Array.from({ length: 11 }, (_, n) => using(`c${n}`));
    expect(told({ countLeft: -1, intents: 11 }, many)[0]).toContain(
      "given for 10 calls, and 11 had an effect",
    );
    expect(told({}, [using("a"), using("b", [], "other")])[0]).toBe("b used `g`, which does not cover it");
  });
});

describe("spendingIsReal", () => {
  const ledger = [
    call("done", "costly.keyed", { input: { cents: 100 } }),
    call("lost", "costly.none", { input: { cents: 30 }, outcome: "unknown" }),
    call("none", "costly.none", { input: { cents: 70 }, outcome: "refused" }),
  ];
  const oracle = [effect("done", { spent: 50 }), effect("done", { spent: 50, verdict: "deduplicated" })];
  const kept = { call: "lost", key: "k", kind: "money", amount: 30 } as const;
  const told = (gates: Partial<GateState>) =>
    said(
      spendingIsReal(
        seen({
          ledger,
          oracle,
          gates: { usage: [{ key: "spent:agent", used: 80 }], reservations: [kept], grants: [], ...gates },
        }),
      ),
    );

  it("accepts money that was spent, and money that an unknown outcome keeps reserved", () => {
    expect(told({})).toEqual([]);
  });

  it("reports a wrong count, a reservation that is still held, and a concurrency slot that is still taken", () => {
    expect(told({ usage: [{ key: "spent:agent", used: 81 }] })).toEqual([
      "agent is counted as having spent 81, and spent 80",
    ]);
    expect(told({ reservations: [{ ...kept, call: "done" }] })).toEqual([
      "done is succeeded and still holds a reservation of money",
    ]);
    expect(told({ reservations: [{ ...kept, kind: "concurrency" }] })).toEqual([
      "lost is unknown and still holds a reservation of concurrency",
    ]);
    const usage = [
      { key: "spent:agent", used: 80 },
      { key: "concurrency:0:x", used: 1 },
    ];
    expect(told({ usage })).toEqual(["concurrency:0:x has 1 places taken with nobody in them"]);
  });
});

describe("freezesHold [TRUST 25]", () => {
  const freeze: FreezeRecord = {
    id: "f",
    kind: "principal",
    subject: "agent",
    inFlight: [],
    askedAt: 90,
    answeredAt: 100,
    thawAskedAt: 200,
    xid: 10,
    nextXid: 12,
    thawXid: 20,
  };
  const wrote = (kind: RecordedEvent["kind"], xid: number, seq = xid): WrittenEvent => ({
    call: "c",
    kind,
    xid,
    seq,
  });
  const told = (
    written: readonly WrittenEvent[],
    given: Partial<FreezeRecord> = {},
    oracle: readonly OracleRecord[] = [],
    of = call("c", "free.keyed"),
  ) => said(freezesHold(seen({ ledger: [of], written, oracle, freezes: [{ ...freeze, ...given }] })));

  it("accepts a call that came before the freeze, was listed, came after the thaw, or is not subject to it", () => {
    expect(told([wrote("accepted", 1), wrote("intended", 2), wrote("closed", 11)])).toEqual([]);
    const open = [wrote("accepted", 1), wrote("intended", 2), wrote("closed", 15)];
    expect(told(open, { inFlight: ["c"] }, [effect("c", { at: 150 })])).toEqual([]);
    expect(told([wrote("accepted", 21), wrote("intended", 22), wrote("closed", 23)])).toEqual([]);
    const during = [wrote("accepted", 11), wrote("intended", 12), wrote("closed", 13)];
    expect(told(during, {}, [], call("c", "free.keyed", { principal: "bot" }))).toEqual([]);
    expect(told(during, { kind: "tenant" }, [], call("c", "admin.thaw"))).toEqual([]);
    expect(told(during, { kind: "adapter", subject: "asked" })).toEqual([]);
  });

  it.each([
    ["principal", "agent"],
    ["capability", "free.keyed"],
    ["adapter", "free"],
    ["tenant", "acme"],
  ] as const)("reports a call that was accepted or intended while its %s was frozen", (kind, subject) => {
    expect(told([wrote("accepted", 11), wrote("intended", 13)], { kind, subject })).toEqual([
      `c wrote an intent while it was frozen (freeze of the ${kind}, f)`,
      `c was accepted while it was frozen (freeze of the ${kind}, f)`,
    ]);
  });

  it("reports a call that was in flight and is not on the list, by the rows and by the oracle", () => {
    const open = [wrote("accepted", 1), wrote("intended", 2), wrote("closed", 15)];
    expect(told(open, {}, [effect("c", { at: 150 })])).toEqual([
      "c was in flight and is not on the list (freeze of the principal, f)",
      "c had an effect after the freeze had answered, and is not on the list (freeze of the principal, f)",
    ]);
  });
});

describe("withinLimits", () => {
  const bounds: LimitBounds = { calls: 2, money: 100, concurrency: 1, grants: 1, granted: 10 };
  const waited: [RecordedEvent["kind"], RecordedEvent["data"]][] = [["delayed", { limit: "places" }]];
  const history = (given: { cents?: number; counted?: number; began?: number } = {}): LabHistory => {
    const { cents = 50, counted = 2, began = 20 } = given;
    return seen({
      ledger: [
        call("a", "costly.keyed", { events: waited }),
        call("b", "costly.keyed"),
        call("no", "asked.keyed", { outcome: "denied" }),
      ],
      oracle: [effect("a", { began: 10, at: 20, spent: 50 }), effect("b", { began, at: 30, spent: cents })],
      gates: {
        usage: [
          { key: "calls:1:calls:calls:", used: counted },
          { key: "money:1:money:money:", used: 50 + cents },
        ],
        reservations: [],
        grants: [],
      },
    });
  };

  it("accepts limits that are reached and not exceeded", () => {
    expect(checkLimits(history(), bounds)).toEqual([]);
    expect(computePeak(history())).toBe(1);
  });

  it("reports calls, money and concurrency beyond the limit, and wrong counts", () => {
    expect(said(checkLimits(history(), { ...bounds, calls: 1 }))).toEqual(["- 2 calls, of 1 allowed"]);
    expect(said(checkLimits(history({ cents: 51 }), bounds))).toEqual(["- 101 cents, of 100 allowed"]);
    expect(said(checkLimits(history({ began: 19 }), bounds))).toEqual(["- 2 at once, of 1 allowed"]);
    expect(said(checkLimits(history({ counted: 3 }), bounds))).toEqual([
      "- 3 calls are counted, and 2 were real",
    ]);
  });

  it("reports a limit that was never reached", () => {
    expect(said(checkLimits(history(), { ...bounds, calls: 3, money: 200 }))).toEqual([
      "- only 2 calls were made, of 3 allowed",
      "- only 100 cents were spent, of 200 allowed",
    ]);
  });
});
