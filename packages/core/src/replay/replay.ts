import type { CastVote, RoundStatus } from "../approval.ts";
import type { AttemptEnd, CallState, Parent } from "../call.ts";
import type { EventKind } from "../event.ts";
import type { Json, JsonObject } from "../json.ts";
import type { Outcome, OutcomeKind } from "../outcome.ts";
import type { Guard } from "../policy/policy.ts";
import type { Finding, Resolution } from "../receipts/resolution.ts";
import type { RebuiltCall, RebuiltRound, ReplayedEvent } from "./rebuilt-call.ts";

/** Rebuilds the rows of a call from its events alone. Returns undefined if they do not begin with the acceptance. */
export function replayCall(events: readonly ReplayedEvent[]): RebuiltCall | undefined {
  return replaySteps(events).at(-1);
}

/** Returns the rows after each event, or an empty list if the events do not begin with an acceptance. */
export function replaySteps(events: readonly ReplayedEvent[]): RebuiltCall[] {
  const steps: RebuiltCall[] = [];
  for (const event of events) {
    const before = steps.at(-1);
    if (!before && event.kind !== "accepted") return [];
    steps.push(applyEvent(before ?? createFromAcceptance(event), event));
  }
  return steps;
}

function applyEvent(before: RebuiltCall, event: ReplayedEvent): RebuiltCall {
  const now = { ...before, ...eventReducers[event.kind]?.(event.data, before, event.at) };
  const isWatched =
    polledStates.includes(now.state) || (event.kind === "delayed" && event.data.limit !== undefined);
  return { ...now, epoch: isWatched ? undefined : event.epoch };
}

/** In these states the sweeper picks the call up repeatedly, which raises its epoch without an event. */
const polledStates: readonly CallState[] = ["parked", "composing"];

/** Returns the fields that an event changes. All other fields stay as they were. */
type EventReducer = (data: JsonObject, before: RebuiltCall, at: number) => Partial<RebuiltCall>;

/**
 * The table has an entry for every kind of event, including kinds that change nothing. A new kind without an entry
 * therefore does not compile.
 */
const eventReducers: Readonly<Record<EventKind, EventReducer>> = {
  accepted: () => ({}),
  ruled: ({ ruling }) => {
    if (ruling === "allow") return { state: "ready" };
    return ruling === "check" ? { state: "checking", ...noLocks } : {};
  },
  checked: keepRows,
  asked: (data, { deadline, rounds }) => {
    const round = toRound(data);
    return {
      state: "asking",
      deadline: deadline ?? round.expiresAt,
      rounds: [...rounds, round],
      // People may take a day to answer, so a waiting call holds no locks.
      ...noLocks,
    };
  },
  voted: (data, { rounds }, at) => ({
    rounds: updateRound(rounds, data, (round) => ({ votes: withVote(round.votes, toVote(data, at)) })),
  }),
  "round-closed": (data, { rounds }) => {
    const status = data.status as RoundStatus;
    return {
      rounds: updateRound(rounds, data, () => ({ status })),
      ...(status === "approved" && { state: "ready" }),
    };
  },
  reminded: keepRows,
  escalated: keepRows,
  reassigned: keepRows,
  acknowledged: keepRows,
  revealed: keepRows,
  commented: (data, { messages }) => ({
    messages: [...messages, { message: toText(data.message), by: toText(data.by), as: toText(data.as) }],
  }),
  queued: (data) => ({
    state: "queued",
    queued: { keys: Number(data.keys), position: Number(data.position) },
  }),
  locked: (data) => ({ state: "ready", held: Number(data.keys), queued: undefined }),
  offered: () => ({ state: "offered" }),
  intended: (data, { attempts }, at) => ({
    state: "performing",
    attempts: [
      ...attempts,
      {
        attempt: Number(data.attempt),
        at,
        deadline: Number(data.deadline),
        grant: toOptionalText(data.grant),
        ended: undefined,
      },
    ],
  }),
  "approval-inherited": keepRows,
  began: () => ({ state: "composing", begun: true }),
  stepped: () => ({ state: "composing" }),
  // A failed preview also writes an `attempted` event, but no intent. Such an event matches no attempt in the list, so
  // it changes nothing.
  attempted: (data, { attempts }) => ({
    attempts: attempts.map((one) =>
      one.attempt === data.attempt ? { ...one, ended: data.as as AttemptEnd } : one,
    ),
  }),
  // A call that waits for a place under a limit gives up its locks and acquires them again later. A call that waits for
  // a retry keeps its locks.
  delayed: ({ limit }) => ({ state: "delayed", ...(limit !== undefined && noLocks) }),
  // A stuck call that certainly has not acted frees its locks while it waits for a person.
  "segment-failed": ({ freed }) => (freed === true ? noLocks : {}),
  resumed: keepRows,
  // A composite that has begun keeps the locks that it holds for its steps.
  parked: (_, { begun }) => ({ state: "parked", ...(!begun && noLocks) }),
  withdrawn: keepRows,
  closed: (data) => {
    const outcome: Outcome = { kind: data.outcome as OutcomeKind, code: toText(data.code) };
    // [P7] A call with an unknown outcome keeps its locks.
    return { state: "closed", outcome, ...(outcome.kind !== "unknown" && noLocks) };
  },
  resolved: (data, _, at) => ({ resolution: toResolution(data, at), ...noLocks }),
  erased: keepRows,
};

const noLocks = { held: 0, queued: undefined } as const;

function keepRows(): Partial<RebuiltCall> {
  return {};
}

function createFromAcceptance({ at, data }: ReplayedEvent): RebuiltCall {
  return {
    principal: toText(data.principal),
    onBehalfOf: toOptionalText(data.onBehalfOf),
    capability: toText(data.capability),
    version: Number(data.version),
    createdAt: at,
    supersedes: toOptionalText(data.supersedes),
    editedBy: toOptionalText(data.editedBy),
    parent: data.parent as unknown as Parent | undefined,
    facts: toOptionalText(data.facts),
    // If no ruling follows the acceptance, the call is still previewing, because the preview took longer than admission
    // waits.
    state: "previewing",
    begun: false,
    epoch: undefined,
    deadline: typeof data.deadline === "number" ? data.deadline : undefined,
    outcome: undefined,
    rounds: [],
    attempts: [],
    ...noLocks,
    messages: [],
    resolution: undefined,
  };
}

function toRound(data: JsonObject): RebuiltRound {
  return {
    approval: toOptionalText(data.approval),
    round: Number(data.round),
    digest: toText(data.digest),
    status: "open",
    guards: data.guards as unknown as readonly Guard[],
    expiresAt: Number(data.expiresAt),
    votes: [],
  };
}

function updateRound(
  rounds: readonly RebuiltRound[],
  data: JsonObject,
  change: (round: RebuiltRound) => Partial<RebuiltRound>,
): RebuiltRound[] {
  return rounds.map((one) => (one.round === data.round ? { ...one, ...change(one) } : one));
}

/** Adds a vote. A later vote of the same person replaces the earlier one. */
function withVote(votes: readonly CastVote[], vote: CastVote): CastVote[] {
  return [...votes.filter(({ by }) => by !== vote.by), vote];
}

function toVote({ by, decision, as, groups }: JsonObject, at: number): CastVote {
  return {
    by: toText(by),
    decision: decision as CastVote["decision"],
    as: as as CastVote["as"],
    at,
    ...(Array.isArray(groups) && { groups: groups.map(toText) }),
  };
}

function toResolution({ finding, by, how, statement }: JsonObject, at: number): RebuiltCall["resolution"] {
  return {
    finding: finding as Finding,
    by: toText(by),
    how: how as Resolution["how"],
    at,
    statement: toText(statement),
  };
}

function toText(value: Json | undefined): string {
  return String(value ?? "");
}

function toOptionalText(value: Json | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}
