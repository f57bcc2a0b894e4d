import { type Approval, standing } from "../approval.ts";
import type { Call } from "../call.ts";
import type { Checked, CheckResult } from "../check.ts";
import { commitment } from "../digest.ts";
import { ParaphError } from "../paraph-error.ts";
import type { Move, NewPayload, Ports, Wake } from "../ports.ts";
import type { Principal } from "../principal.ts";
import { involvedIn, isDischarged, type Vote } from "../ruling.ts";
import { ending, payload } from "./ending.ts";
import { after, wake } from "./move.ts";

export interface Decision {
  readonly approval: string;
  readonly voter: Principal;
  readonly decision: Vote["decision"];
  /** The digest the voter was shown: a vote counts for that and nothing else. */
  readonly digest: string;
  readonly reason?: string;
}

export interface Decided {
  readonly call: Call;
  readonly wakes: readonly Wake[];
}

/** A person's answer, by compare-and-set: the first to close the round wins, everyone later is told so. */
export async function decide(decision: Decision, ports: Ports): Promise<Decided> {
  for (;;) {
    const call = await ports.store.findByApproval(decision.voter.tenant, decision.approval);
    if (!call)
      throw new ParaphError(
        "approval-unknown",
        "There is no such approval: `paraph approvals` lists the open ones.",
      );
    const round = openRound(call, decision);
    const as = await admissible(call, decision.voter, ports);
    if (decision.decision === "approve") wanted(round, decision.voter);
    const move = await answer(call, round, decision, as, ports);
    const committed = await ports.store.commit({
      tenant: call.tenant,
      call: call.call,
      epoch: call.epoch,
      ...move,
    });
    if (committed.kind === "untimely") throw closed("expired");
    // Somebody else's vote, or a segment, came between: look at what stands now and answer again.
    if (committed.kind !== "done") continue;
    const moved = after(call, move, committed.epoch);
    const own = moved.state === "ready" ? [wake(moved)] : [];
    ports.telemetry.measure("paraph.approval.wait.seconds", (ports.clock.now() - askedAt(call)) / 1_000, {
      decision: decision.decision,
    });
    return { call: moved, wakes: [...committed.wake, ...own] };
  }
}

function openRound(call: Call, decision: Decision): Approval {
  const round = call.approval;
  if (!round || round.id !== decision.approval) throw closed("void");
  if (round.status !== "open" || call.state !== "asking") throw closed(round.status);
  if (round.digest !== decision.digest) {
    throw new ParaphError(
      "approval-changed",
      "The digest is not the one that is being asked about: open the approval again and look at what it shows now.",
    );
  }
  return round;
}

/** A yes that no guard would count is not taken: its giver would believe to have approved. */
function wanted({ guards }: Approval, { groups = [] }: Principal): void {
  if (guards.some(({ group }) => group === undefined || groups.includes(group))) return;
  const names = [...new Set(guards.map(({ group }) => group))].join(", ");
  throw new ParaphError("approver-not-allowed", `Only a member of ${names} can approve this.`);
}

async function admissible(call: Call, voter: Principal, ports: Ports): Promise<Vote["as"]> {
  const others = await ports.store.hasOtherPerson(call.tenant, involvedIn(call.principal));
  const as = standing(voter, call.principal, others);
  if (as === "not-a-person")
    throw new ParaphError("approver-not-allowed", "Only a person can decide: use a person's key.");
  if (as === "own-call") {
    throw new ParaphError(
      "approver-not-allowed",
      "Who asked, or owns the agent that asked, cannot approve it: somebody else has to.",
    );
  }
  return as;
}

async function answer(
  call: Call,
  round: Approval,
  decision: Decision,
  as: Vote["as"],
  ports: Ports,
): Promise<Move> {
  const at = ports.clock.now();
  const groups = groupsThatCount(round, decision.voter);
  const vote = { by: decision.voter.id, decision: decision.decision, as, at, ...groups };
  const reasons = decision.reason ? [payload("reason", decision.reason, ports)] : [];
  const cast = {
    kind: "voted",
    at,
    data: {
      round: round.round,
      by: vote.by,
      decision: vote.decision,
      as,
      digest: round.digest,
      ...groups,
      ...reasonCommitment(reasons),
    },
  } as const;
  const recorded = { vote: { approval: round.id, vote }, payloads: reasons };
  const closing = (status: "approved" | "denied") => ({
    event: { kind: "round-closed", at, data: { round: round.round, status, digest: round.digest } } as const,
    closeRound: { approval: round.id, status } as const,
  });

  if (decision.decision === "deny") {
    const { event, closeRound } = closing("denied");
    return ending(
      call,
      { outcome: { kind: "denied", code: "denied" }, events: [cast, event], closeRound, ...recorded },
      ports,
    );
  }
  const votes = [...round.votes.filter(({ by }) => by !== vote.by), vote];
  const checks = checksOf(call);
  if (!round.guards.every((guard) => isDischarged(guard, { votes, checks }))) {
    return { state: "asking", nextAt: call.nextAt, events: [cast], ...recorded };
  }
  const { event, closeRound } = closing("approved");
  return {
    state: "ready",
    nextAt: at + ports.settings.sweepGraceMs,
    events: [cast, event],
    closeRound,
    ...recorded,
  };
}

/** Of the voter's groups only those that a guard asks for: the others are nobody's business. */
function groupsThatCount({ guards }: Approval, { groups = [] }: Principal): { groups?: string[] } {
  const counting = groups.filter((name) => guards.some(({ group }) => group === name));
  return counting.length > 0 ? { groups: counting } : {};
}

/** What the approver was shown of checks: they belong to what is being asked about. */
function checksOf(call: Call): readonly CheckResult[] {
  return (call.payloads.checks?.value as unknown as Checked | undefined)?.results ?? [];
}

function reasonCommitment([reason]: readonly NewPayload[]): Record<string, string> {
  return reason ? { reason: commitment(reason.salt, reason.value) } : {};
}

function askedAt(call: Call): number {
  return call.events.findLast(({ kind }) => kind === "asked")?.at ?? call.createdAt;
}

function closed(status: string): ParaphError {
  return new ParaphError(
    "approval-closed",
    `This approval is closed (${status}): the decision changes nothing.`,
  );
}
