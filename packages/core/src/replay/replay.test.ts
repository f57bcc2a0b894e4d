import { describe, expect, it } from "vitest";
import type { EventKind } from "../event.ts";
import type { JsonObject } from "../json.ts";
import type { RebuiltCall, ReplayedEvent } from "./rebuilt-call.ts";
import { replayCall, replaySteps } from "./replay.ts";

type Fact = readonly [EventKind, JsonObject?, number?];

/** Returns events that are one second apart. The third member is the epoch, if the test knows it. */
function createEvents(...facts: readonly Fact[]): ReplayedEvent[] {
  return facts.map(([kind, data = {}, epoch], index) => ({
    seq: index + 1,
    kind,
    at: index * 1_000,
    data,
    ...(epoch !== undefined && { epoch }),
  }));
}

const accepted: readonly ["accepted", JsonObject] = [
  "accepted",
  { capability: "files.write", version: 2, principal: "bot" },
];
const guards = [{ id: "g", ruling: "ask", quorum: 2, urgency: "normal", sentence: "Why." }];
const asked: Fact = ["asked", { approval: "ask_1", round: 1, digest: "d", expiresAt: 9_000, guards }];
const listStates = (...facts: readonly Fact[]) =>
  replaySteps(createEvents(...facts)).map(({ state }) => state);

describe("[replay] events alone determine the state of a call", () => {
  /** The state into which each kind of event brings a ready call. A new kind must be added here as well. */
  const after: Readonly<Record<EventKind, readonly [JsonObject, RebuiltCall["state"]]>> = {
    accepted: [{}, "ready"],
    ruled: [{ ruling: "check" }, "checking"],
    checked: [{ results: [] }, "ready"],
    asked: [asked[1]!, "asking"],
    voted: [{ round: 1, by: "ana", decision: "approve", as: "approver" }, "ready"],
    "round-closed": [{ round: 1, status: "void", code: "basis-changed" }, "ready"],
    queued: [{ keys: 2, position: 7 }, "queued"],
    locked: [{ keys: 2 }, "ready"],
    offered: [{ until: 1 }, "offered"],
    "approval-inherited": [{}, "ready"],
    intended: [{ attempt: 1, deadline: 5 }, "performing"],
    attempted: [{ attempt: 1, as: "lost" }, "ready"],
    began: [{}, "composing"],
    stepped: [{ step: "1", call: "call_2" }, "composing"],
    delayed: [{ retry: 1, waitMs: 5 }, "delayed"],
    "segment-failed": [{ code: "unexpected-error", failures: 1 }, "ready"],
    resumed: [{ by: "ana" }, "ready"],
    parked: [{ freeze: "f" }, "parked"],
    withdrawn: [{ by: "bot" }, "ready"],
    reminded: [{ round: 1 }, "ready"],
    escalated: [{ round: 1, group: "leads" }, "ready"],
    reassigned: [{ round: 1, by: "ana", to: "bo" }, "ready"],
    acknowledged: [{ round: 1, by: "ana", until: 0 }, "ready"],
    revealed: [{ by: "ana", paths: [] }, "ready"],
    commented: [{ by: "ana", message: "m", as: "question" }, "ready"],
    closed: [{ outcome: "failed", code: "error" }, "closed"],
    resolved: [{ finding: "happened", by: "ana", how: "person", statement: "s" }, "ready"],
    erased: [{ by: "operator", reason: "request 12", payloads: ["input"], messages: 0 }, "ready"],
  };

  it.each(Object.entries(after))("%s", (kind, [data, state]) => {
    expect(listStates(accepted, ["ruled", { ruling: "allow" }], [kind as EventKind, data]).at(-1)).toBe(
      state,
    );
  });

  it("a call is in the state `previewing` until its ruling takes effect", () => {
    expect(listStates(accepted, ["ruled", { ruling: "ask" }], asked)).toEqual([
      ...["previewing", "previewing", "asking"],
    ]);
    expect(
      listStates(accepted, ["ruled", { ruling: "block" }], ["closed", { outcome: "refused" }]).at(-1),
    ).toBe("closed");
  });

  it("events that do not begin with `accepted` rebuild no call", () => {
    expect(replayCall([])).toBeUndefined();
    expect(replayCall(createEvents(["closed", { outcome: "failed" }]))).toBeUndefined();
  });
});

describe("[replay] events alone determine the other fields of a call", () => {
  it("[P5] replay rebuilds rounds with each person's last vote, and keeps the first round's deadline for all rounds", () => {
    const vote = (by: string, decision: string, round = 1): Fact => [
      "voted",
      { round, by, decision, as: "approver" },
    ];
    const told = replayCall(
      createEvents(
        ...[accepted, asked, vote("ana", "approve"), vote("ana", "deny"), vote("bo", "approve")],
        ...[["round-closed", { round: 1, status: "approved" }] as const],
        ...[["round-closed", { round: 1, status: "void", code: "basis-changed" }] as const],
        ...[["asked", { ...asked[1], approval: "ask_2", round: 2, expiresAt: 8_000 }] as const],
      ),
    );
    expect(told?.deadline).toBe(9_000);
    expect(told?.rounds).toEqual([
      {
        approval: "ask_1",
        round: 1,
        digest: "d",
        status: "void",
        guards,
        expiresAt: 9_000,
        votes: [
          { by: "ana", decision: "deny", as: "approver", at: 3_000 },
          { by: "bo", decision: "approve", as: "approver", at: 4_000 },
        ],
      },
      { approval: "ask_2", round: 2, digest: "d", status: "open", guards, expiresAt: 8_000, votes: [] },
    ]);
  });

  it("[P7] replay rebuilds attempts and their ends, and an unknown outcome keeps its locks until it is resolved", () => {
    const events = createEvents(
      ...[accepted, ["queued", { keys: 2, position: 7 }] as const, ["locked", { keys: 2 }] as const],
      ...[["intended", { attempt: 1, deadline: 5, grant: "grant_1" }] as const],
      ...[["attempted", { attempt: 1, as: "ambiguous" }] as const, ["delayed", { retry: 1 }] as const],
      ...[["closed", { outcome: "unknown", code: "no-key-no-probe" }] as const],
      ...[["resolved", { finding: "happened", by: "ana", how: "person", statement: "s" }] as const],
    );
    const steps = replaySteps(events);
    expect(steps.map(({ held }) => held)).toEqual([0, 0, 2, 2, 2, 2, 2, 0]);
    expect(steps.map(({ queued }) => queued?.position)).toEqual([undefined, 7, ...Array(6).fill(undefined)]);
    expect(steps.at(-1)).toMatchObject({
      attempts: [{ attempt: 1, at: 3_000, deadline: 5, grant: "grant_1", ended: "ambiguous" }],
      outcome: { kind: "unknown", code: "no-key-no-probe" },
      resolution: { finding: "happened", by: "ana", how: "person", at: 7_000, statement: "s" },
    });
  });

  it.each<[EventKind, JsonObject]>([
    ["asked", asked[1]!],
    ["parked", { freeze: "f" }],
    ["delayed", { limit: "busy", waitMs: 1_000 }],
    ["ruled", { ruling: "check" }],
    ["closed", { outcome: "failed" }],
  ])("[locks] a call releases its locks at the event %s", (kind, data) => {
    expect(replayCall(createEvents(accepted, ["locked", { keys: 1 }], [kind, data]))?.held).toBe(0);
  });

  it("[P13] a composite that has begun keeps its locks for its steps, even while it is frozen", () => {
    const began: Fact[] = [accepted, ["locked", { keys: 1 }], ["began", {}, 3], ["parked", { freeze: "f" }]];
    expect(replayCall(createEvents(...began))).toMatchObject({ state: "parked", begun: true, held: 1 });
    const child: Fact = ["accepted", { ...accepted[1], parent: { call: "c", step: "s", depth: 1 } }];
    expect(replayCall(createEvents(child))?.parent).toEqual({ call: "c", step: "s", depth: 1 });
  });

  it("[P6] a successor names the call that it supersedes, its editor and its deadline", () => {
    const heir: Fact = [
      "accepted",
      { ...accepted[1], supersedes: "call_1", editedBy: "ana", deadline: 4_000, facts: "f" },
    ];
    expect(replayCall(createEvents(heir, asked))).toMatchObject({
      supersedes: "call_1",
      editedBy: "ana",
      deadline: 4_000,
      facts: "f",
    });
  });

  it("the epoch is that of the last event, except for a parked call, whose epoch is not known", () => {
    const events = createEvents(["accepted", accepted[1], 1], ["parked", {}, 2], ["locked", { keys: 1 }, 5]);
    expect(replaySteps(events).map(({ epoch }) => epoch)).toEqual([1, undefined, 5]);
  });
});
