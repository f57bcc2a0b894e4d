import type { FencedTransition, NewCall } from "../../store.ts";
import type { GateEntry } from "./model-gates.ts";
import { type CallRow, deepCopy, type ModelProcess, type RoundRow, toRoundRow } from "./model-rows.ts";

/** [P15] Returns whether the store's own clock permits the transition. For a vote, the round must still take votes. */
export function isTimely(row: CallRow, { vote, closeRound, timely }: FencedTransition, now: number): boolean {
  if (timely?.from !== undefined && now < timely.from) return false;
  if (timely?.before !== undefined && now >= timely.before) return false;
  const takesVotes = (id: string) => {
    const { status, expiresAt } = requireRound(row, id);
    return status === "open" && expiresAt > now;
  };
  if (vote && !takesVotes(vote.approval)) return false;
  if (!closeRound) return true;
  const { status, expiresAt } = requireRound(row, closeRound.approval);
  switch (closeRound.status) {
    case "approved":
    case "denied":
      return takesVotes(closeRound.approval);
    case "expired":
      return status === "open" && expiresAt <= now;
    case "void":
      return status === "open" || status === "approved";
  }
}

function requireRound(row: CallRow, approval: string): RoundRow {
  const round = row.rounds.find(({ id }) => id === approval);
  if (!round) throw new Error("model: the call has no such round");
  return round;
}

/** Writes a voter's latest vote, the end of a round, and the next round. */
export function writeRounds(row: CallRow, { vote, closeRound, ask }: FencedTransition): void {
  if (vote) {
    const round = requireRound(row, vote.approval);
    round.votes = [...round.votes.filter(({ by }) => by !== vote.vote.by), vote.vote];
  }
  if (closeRound) requireRound(row, closeRound.approval).status = closeRound.status;
  if (ask) row.rounds.push(toRoundRow(ask));
}

/**
 * Throws where a database constraint would reject the transition. Such a transition is always a bug in the pipeline.
 */
export function assertTransitionPossible(
  row: CallRow,
  { receipt, intent, endAttempt }: FencedTransition,
): void {
  const has = (number: number) => row.intents.some(({ attempt }) => attempt === number);
  if (receipt && row.receipt) throw new Error("model: the call has a receipt already");
  if (intent && has(intent.attempt)) throw new Error("model: the attempt has an intent already");
  if (endAttempt && !has(endAttempt.attempt)) throw new Error("model: the call has no such attempt");
}

/** Throws where a database constraint would reject the opening. An id is used once, and a call has one successor. */
export function assertOpeningPossible(rows: readonly CallRow[], { tenant, call, supersedes }: NewCall): void {
  const own = rows.filter((row) => row.tenant === tenant);
  if (own.some((row) => row.call === call)) throw new Error("model: the call id is taken");
  if (supersedes !== undefined && own.some((row) => row.supersedes === supersedes))
    throw new Error("model: the call has a successor already");
}

/** Returns the gate entry of an opening, or undefined if it has no gate. */
export function toAcceptance(newCall: NewCall): GateEntry | undefined {
  const { gate, intent } = newCall;
  return gate && toGateEntry(newCall, deepCopy(gate), { accepts: true, intends: intent !== undefined });
}

export function toGateEntry(
  { call, principal, capability }: Pick<NewCall, "call" | "principal" | "capability">,
  gate: GateEntry["gate"],
  stage: Pick<GateEntry, "accepts" | "intends">,
): GateEntry {
  return { call, principals: [principal.id, principal.onBehalfOf], capability, gate, ...stage };
}

/**
 * Records the process that runs the call. If a living process performs the call, it stays the runner when other
 * processes begin the call.
 */
export function beginSegment(row: CallRow, runner: ModelProcess): void {
  if (row.state === "closed" || row.stuck !== undefined) return;
  const isDead = row.runner?.isAlive === false;
  if (isDead) row.deaths = (row.deaths ?? 0) + 1;
  if (isDead || !row.runner || row.state !== "performing") row.runner = runner;
}

export function recordSegment(
  row: CallRow,
  { segment, stuck }: FencedTransition,
  writer: ModelProcess,
): void {
  row.runner = segment === "runs" ? writer : undefined;
  if (!segment) delete row.deaths;
  delete row.stuck;
  if (stuck !== undefined) row.stuck = stuck;
}
