import type { CastVote, RoundStatus } from "../approval.ts";
import type { AttemptEnd, CallState, Parent } from "../call.ts";
import type { EventKind } from "../event.ts";
import type { Json, JsonObject } from "../json.ts";
import type { Outcome, OutcomeKind } from "../outcome.ts";
import type { Guard } from "../policy/policy.ts";
import type { Finding, Resolution } from "../receipts/resolution.ts";
import type { RebuiltCall, RebuiltRound, ReplayedEvent } from "./rebuilt.ts";

/** Rebuilds the rows of a call from its events alone; undefined where they do not begin with its acceptance. */
export function replayCall(events: readonly ReplayedEvent[]): RebuiltCall | undefined {
  return replaySteps(events).at(-1);
}

/** The rows as they stood after each event, one for each; none where the events do not begin with an acceptance. */
export function replaySteps(events: readonly ReplayedEvent[]): RebuiltCall[] {
  const steps: RebuiltCall[] = [];
  for (const event of events) {
    const before = steps.at(-1);
    if (!before && event.kind !== "accepted") return [];
    steps.push(after(before ?? accepted(event), event));
  }
  return steps;
}

function after(before: RebuiltCall, event: ReplayedEvent): RebuiltCall {
  const now = { ...before, ...tellings[event.kind]?.(event.data, before, event.at) };
  const isWatched =
    watched.includes(now.state) || (event.kind === "delayed" && event.data.limit !== undefined);
  return { ...now, epoch: isWatched ? undefined : event.epoch };
}

/** Where a call is looked at again and again, which raises its epoch and is no event. */
const watched: readonly CallState[] = ["parked", "composing"];

/** What one event says of the rows; what it does not mention stays as it was. */
type Telling = (data: JsonObject, before: RebuiltCall, at: number) => Partial<RebuiltCall>;

/** Every kind has its say, if only that nothing moved: a new kind that is missing here does not compile. */
const tellings: Readonly<Record<EventKind, Telling>> = {
  accepted: () => ({}),
  ruled: ({ ruling }) => {
    if (ruling === "allow") return { state: "ready" };
    return ruling === "check" ? { state: "checking", ...free } : {};
  },
  checked: unmoved,
  asked: (data, { deadline, rounds }) => {
    const round = askedRound(data);
    return {
      state: "asking",
      deadline: deadline ?? round.expiresAt,
      rounds: [...rounds, round],
      // People may take a day: who asks them keeps nobody waiting.
      ...free,
    };
  },
  voted: (data, { rounds }, at) => ({
    rounds: ofRound(rounds, data, (round) => ({ votes: withVote(round.votes, voteIn(data, at)) })),
  }),
  "round-closed": (data, { rounds }) => {
    const status = data.status as RoundStatus;
    return {
      rounds: ofRound(rounds, data, () => ({ status })),
      ...(status === "approved" && { state: "ready" }),
    };
  },
  reminded: unmoved,
  escalated: unmoved,
  "handed-over": unmoved,
  revealed: unmoved,
  said: (data, { messages }) => ({
    messages: [...messages, { message: text(data.message), by: text(data.by), as: text(data.as) }],
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
        grant: given(data.grant),
        ended: undefined,
      },
    ],
  }),
  covered: unmoved,
  began: () => ({ state: "composing", begun: true }),
  stepped: () => ({ state: "composing" }),
  // A look that failed is on record as an attempt too, and had no intent.
  attempted: (data, { attempts }) => ({
    attempts: attempts.map((one) =>
      one.attempt === data.attempt ? { ...one, ended: data.as as AttemptEnd } : one,
    ),
  }),
  // Who waits for a place under a limit starts again from the locks; who waits to try again keeps them.
  delayed: ({ limit }) => ({ state: "delayed", ...(limit !== undefined && free) }),
  // What certainly has not acted lets go of its locks while it waits for a person.
  "segment-failed": ({ freed }) => (freed === true ? free : {}),
  resumed: unmoved,
  // A composite that has begun keeps what it holds for its steps.
  parked: (_, { begun }) => ({ state: "parked", ...(!begun && free) }),
  withdrawn: unmoved,
  closed: (data) => {
    const outcome: Outcome = { kind: data.outcome as OutcomeKind, code: text(data.code) };
    // [P7] What nobody knows the end of keeps what it holds.
    return { state: "closed", outcome, ...(outcome.kind !== "unknown" && free) };
  },
  resolved: (data, _, at) => ({ resolution: resolutionIn(data, at), ...free }),
};

const free = { held: 0, queued: undefined } as const;

function unmoved(): Partial<RebuiltCall> {
  return {};
}

function accepted({ at, data }: ReplayedEvent): RebuiltCall {
  return {
    principal: text(data.principal),
    onBehalfOf: given(data.onBehalfOf),
    capability: text(data.capability),
    version: Number(data.version),
    createdAt: at,
    supersedes: given(data.supersedes),
    editedBy: given(data.editedBy),
    parent: data.parent as unknown as Parent | undefined,
    facts: given(data.facts),
    // Where no ruling came with it, its preview took longer than its caller was kept waiting.
    state: "previewing",
    begun: false,
    epoch: undefined,
    deadline: typeof data.deadline === "number" ? data.deadline : undefined,
    outcome: undefined,
    rounds: [],
    attempts: [],
    ...free,
    messages: [],
    resolution: undefined,
  };
}

function askedRound(data: JsonObject): RebuiltRound {
  return {
    approval: given(data.approval),
    round: Number(data.round),
    digest: text(data.digest),
    status: "open",
    guards: data.guards as unknown as readonly Guard[],
    expiresAt: Number(data.expiresAt),
    votes: [],
  };
}

function ofRound(
  rounds: readonly RebuiltRound[],
  data: JsonObject,
  change: (round: RebuiltRound) => Partial<RebuiltRound>,
): RebuiltRound[] {
  return rounds.map((one) => (one.round === data.round ? { ...one, ...change(one) } : one));
}

/** Whoever votes again has changed their mind. */
function withVote(votes: readonly CastVote[], vote: CastVote): CastVote[] {
  return [...votes.filter(({ by }) => by !== vote.by), vote];
}

function voteIn({ by, decision, as, groups }: JsonObject, at: number): CastVote {
  return {
    by: text(by),
    decision: decision as CastVote["decision"],
    as: as as CastVote["as"],
    at,
    ...(Array.isArray(groups) && { groups: groups.map(text) }),
  };
}

function resolutionIn({ finding, by, how, statement }: JsonObject, at: number): RebuiltCall["resolution"] {
  return {
    finding: finding as Finding,
    by: text(by),
    how: how as Resolution["how"],
    at,
    statement: text(statement),
  };
}

function text(value: Json | undefined): string {
  return String(value ?? "");
}

function given(value: Json | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}
