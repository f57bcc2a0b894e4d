import type { CastVote } from "../approval.ts";
import { type Call, mayHaveActed } from "../call.ts";
import { type Commitments, type Event, eventsOfKind, lastEvent } from "../event.ts";
import type { Json } from "../json.ts";
import { callCommitment } from "./call-commitment.ts";
import { commitment, sameJson } from "./digest.ts";
import { findUnsealedEvent, type Sealer } from "./seal.ts";

/**
 * The first entry that no sealed event of the call confirms. `entry` is the kind of an event, or the name of a row or a
 * payload. `seq` is the number of the event.
 */
export interface UnprovenRecord {
  readonly entry: string;
  readonly seq?: number;
}

/**
 * [TRUST 32] Compares the rows of an open call with its sealed events. A program with access to the database can write
 * any row but no sealed event. Only actions that a person or a process really took can therefore lead to an effect.
 */
export function findUnproven(call: Call, sealer: Sealer): UnprovenRecord | undefined {
  const [accepted] = call.events;
  if (accepted?.kind !== "accepted") return { entry: "accepted" };
  const event = findUnsealedEvent(call, sealer);
  if (event) return { entry: event.kind, seq: event.seq };
  if (!areFactsProven(call, accepted)) return { entry: "call" };
  if (call.approval?.votes.some((vote) => !isVoteProven(call, vote))) return { entry: "vote" };
  if (!areAttemptsProven(call)) return { entry: "intent" };
  if (!isPositionProven(call)) return { entry: "state" };
  const payload = (["input", "answer", "checks"] as const).find((name) => !isPayloadProven(call, name));
  return payload && { entry: payload };
}

/** Returns whether the requester, the capability, the parent, the editors and the requirements match the acceptance. */
function areFactsProven(call: Call, { data }: Event<"accepted">): boolean {
  const { principal, capability, version, supersedes, editedBy, parent, payloads } = call;
  const settled = {
    principal: principal.id,
    onBehalfOf: principal.onBehalfOf ?? null,
    capability,
    version,
    supersedes: supersedes ?? null,
    editedBy: editedBy ?? null,
    parent: parent ? { ...parent } : null,
  };
  const isSame = Object.entries(settled).every(([name, value]) =>
    sameJson(value as Json, ((data as Readonly<Record<string, unknown>>)[name] ?? null) as Json),
  );
  return isSame && data.facts === callCommitment(payloads.input?.salt ?? "", call);
}

/**
 * Returns whether a sealed event proves a vote. Only a voter's last vote in this round counts, and only for the digest
 * of this round.
 */
function isVoteProven({ events, approval }: Call, { by, decision, as, at, groups }: CastVote): boolean {
  const cast = eventsOfKind(events, "voted").findLast(
    ({ data }) => data.round === approval?.round && data.by === by,
  );
  return (
    cast?.at === at &&
    cast.data.digest === approval?.digest &&
    cast.data.decision === decision &&
    cast.data.as === as &&
    sameJson(cast.data.groups ? [...cast.data.groups] : null, groups ? [...groups] : null)
  );
}

function areAttemptsProven({ events, attempts }: Call): boolean {
  return attempts.every(({ number, at, deadline }) => {
    const intended = eventsOfKind(events, "intended").findLast(({ data }) => data.attempt === number);
    return intended?.at === at && intended.data.deadline === deadline;
  });
}

/**
 * Returns whether the events prove the state. A closed call must stay closed, and an acting call needs an intent that
 * no later question voided.
 */
function isPositionProven(call: Call): boolean {
  if (lastEvent(call.events, "closed")) return false;
  if (call.state !== "performing" && !(call.state === "delayed" && mayHaveActed(call))) return true;
  const decisive = call.events.findLast(({ kind }) => kind === "intended" || kind === "asked");
  return (
    decisive?.kind === "intended" && call.attempts.some(({ number }) => number === decisive.data.attempt)
  );
}

/** For each payload on which an effect depends, the kind of event that commits to it. */
const committedIn = { input: "accepted", answer: "voted", checks: "checked" } as const;

function isPayloadProven({ events, payloads }: Call, name: keyof typeof committedIn): boolean {
  const payload = payloads[name];
  if (!payload) return true;
  const commitments = events.flatMap(({ kind, data }) =>
    kind === committedIn[name] ? ((data as Commitments)[name] ?? []) : [],
  );
  return commitments.at(-1) === commitment(payload.salt, payload.value);
}
