import { type Approval, voterRole } from "../../approval.ts";
import { type Call, callInput, lastPreview } from "../../call.ts";
import { listEditors } from "../../editors.ts";
import { eventsOfKind, type UnsealedEvent } from "../../event.ts";
import type { Json } from "../../json.ts";
import { ParaphError } from "../../paraph-error.ts";
import type { Checked, CheckResult } from "../../policy/check.ts";
import { conflictedPrincipals, isDischarged, type Vote } from "../../policy/evidence.ts";
import type { Ports } from "../../ports.ts";
import type { Principal } from "../../principal.ts";
import { canonical } from "../../receipts/digest.ts";
import type { PasskeyProof, PasskeySubject } from "../../receipts/passkey-proof.ts";
import { sealEvent } from "../../receipts/seal.ts";
import type { NewPayload, Transition, Wake } from "../../store.ts";
import { closeCall, commitPayloads, createPayload } from "../close.ts";
import { agreeingVotes, answerDigest, listDeclinedSteps } from "../round.ts";
import { applyTransition, createWake, mergePayloads, numberEvents, wakeParent } from "../transition.ts";
import { requireProven } from "../unproven.ts";
import { requirePasskey, sortSteps, toPasskeySubject } from "./passkey-vote.ts";
import { toOpenQuestion, type VoteEligibility, voteEligibility } from "./vote-eligibility.ts";

/** A person's decision about a round. */
export interface Decision {
  readonly approval: string;
  readonly voter: Principal;
  readonly decision: Vote["decision"];
  /** The digest that the voter saw. A vote counts for this digest only. */
  readonly digest: string;
  readonly reason?: string;
  /** [P13] The steps of a plan that the voter leaves out of the approval. */
  readonly declined?: readonly string[];
  /** The voter's answer, if the capability asks people for one. The vote then approves this answer. */
  readonly answer?: Json;
  /** [TRUST 27] The passkey assertion, whose credential the server has found to be this voter's. */
  readonly proof?: PasskeyProof;
  /** The channel of the vote, if it did not come from the page or the API. */
  readonly via?: "mail" | "slack";
}

/** The call after a decision. */
export interface DecisionResult {
  readonly call: Call;
  readonly wakes: readonly Wake[];
}

/**
 * Records a person's vote by compare-and-set. The first vote that closes the round wins, and later voters get an error.
 */
export async function decide(decision: Decision, ports: Ports): Promise<DecisionResult> {
  for (;;) {
    const call = await ports.store.findByApproval(decision.voter.tenant, decision.approval);
    if (!call) throw unknownApprovalError();
    await requireProven(call, ports);
    const round = requireOpenRound(call, decision);
    if (decision.decision === "return" && !decision.reason?.trim())
      throw new ParaphError(
        "input-invalid",
        "The instructions are missing. Say what the requester should do instead.",
      );
    const [as, voice] = await Promise.all([
      requireVoterRole(call, decision.voter, ports),
      loadVoteEligibility(call, round, decision.voter, ports),
    ]);
    if (decision.decision === "approve") requireEligible(voice, round);
    const { groups, inPlaceOf } = voice;
    const given = parseAnswer(call, decision, ports);
    validateDeclined(call, decision);
    const cast = { ...decision, payloads: given, inPlaceOf };
    if (decision.decision === "approve") await requirePasskey(call, round, voice, cast);
    const standing = { as, ...(groups.length > 0 && { groups }) };
    const move = await recordVote(call, round, cast, standing, ports);
    if (move === "repeated") return { call, wakes: [] };
    const committed = await ports.store.commit({
      tenant: call.tenant,
      call: call.call,
      epoch: call.epoch,
      ...move,
    });
    if (committed.kind === "untimely") throw closedError("expired");
    // Another vote or a segment came first, so the loop reads the call again and repeats the vote.
    if (committed.kind !== "done") continue;
    const moved = applyTransition(call, move, committed.epoch);
    const own = moved.state === "ready" ? [createWake(moved)] : wakeParent(moved);
    ports.telemetry.measure("paraph.approval.wait.seconds", (ports.clock.now() - askedAt(call)) / 1_000, {
      decision: decision.decision,
    });
    return { call: moved, wakes: [...committed.wake, ...own] };
  }
}

/**
 * Returns the approval that a passkey must sign for this decision. Throws if the round is closed, the digest differs, or
 * the decision is not valid.
 */
export async function findPasskeySubject(decision: Decision, ports: Ports): Promise<PasskeySubject> {
  const call = await ports.store.findByApproval(decision.voter.tenant, decision.approval);
  if (!call) throw unknownApprovalError();
  const round = requireOpenRound(call, decision);
  validateDeclined(call, decision);
  const payloads = parseAnswer(call, decision, ports);
  return toPasskeySubject(call, round, { ...decision, payloads });
}

/**
 * Returns the round of a decision. Throws if the round is closed, or if its digest differs from the one that the voter
 * saw.
 */
export function requireOpenRound(call: Call, decision: Pick<Decision, "approval" | "digest">): Approval {
  const round = call.approval;
  if (!round || round.id !== decision.approval) throw closedError("void");
  if (round.status !== "open" || call.state !== "asking") throw closedError(round.status);
  if (round.digest !== decision.digest) {
    throw new ParaphError(
      "approval-changed",
      "The digest does not match the open approval. Open the approval again and review the new preview.",
    );
  }
  return round;
}

/**
 * Returns the groups in which this person's approval counts in this round, including the groups of people for whom they
 * are the delegate.
 */
export async function loadVoteEligibility(
  call: Call,
  round: Approval,
  voter: Principal,
  ports: Ports,
): Promise<VoteEligibility> {
  const [absent, hasOther] = await Promise.all([
    ports.store.delegationsTo(call.tenant, voter.id),
    ports.store.hasOtherPerson(call.tenant, [voter.id]),
  ]);
  return voteEligibility(voter, absent, toOpenQuestion(call, round), !hasOther);
}

/** Rejects a vote that no guard would count, so that the voter does not believe that it counts. */
function requireEligible({ ineligibleReason }: VoteEligibility, { guards }: Approval): void {
  if (ineligibleReason === undefined) return;
  if (ineligibleReason === "reassigned")
    throw new ParaphError(
      "approver-not-allowed",
      "You reassigned this approval, so you can no longer approve it. The new approver decides.",
    );
  if (ineligibleReason === "represented")
    throw new ParaphError(
      "approver-not-allowed",
      "Your delegate has already approved this for you. Another person has to approve it.",
    );
  if (ineligibleReason === "own-edit")
    throw new ParaphError(
      "approver-not-allowed",
      "You edited this request, so you cannot approve it. Another person has to approve it.",
    );
  const names = [...new Set(guards.map(({ group }) => group))].join(", ");
  throw new ParaphError("approver-not-allowed", `Only a member of ${names} can approve this.`);
}

/**
 * Validates the answer that comes with an approval, if the capability asks people for an answer. An approval without a
 * valid answer does not count.
 */
function parseAnswer(call: Call, { decision, answer }: Decision, ports: Ports): NewPayload[] {
  const capability = ports.catalog.find(call.tenant, call.capability);
  const parse = capability?.contractDigest === call.contractDigest ? capability.parseAnswer : undefined;
  if (decision !== "approve" || !parse) {
    if (answer === undefined) return [];
    throw new ParaphError("input-invalid", "This vote takes no answer. Remove the answer and vote again.");
  }
  const parsed = parse(callInput(call), answer ?? null);
  if (parsed.kind === "valid") return [createPayload("answer", parsed.value, ports)];
  throw new ParaphError("input-invalid", `The answer is not valid: ${parsed.faults.join("; ")}.`);
}

/** [P13] Allows voters to leave out only steps that are shown. Leaving out all of them would be a denial. */
function validateDeclined(call: Call, { decision, declined = [] }: Decision): void {
  if (declined.length === 0) return;
  const steps = (lastPreview(call)?.steps ?? []).map(({ id }) => id);
  const unknown = declined.find((step) => !steps.includes(step));
  if (decision !== "approve")
    throw new ParaphError(
      "input-invalid",
      "Only an approval can leave out steps. A denial applies to the whole plan.",
    );
  if (unknown !== undefined)
    throw new ParaphError(
      "input-invalid",
      `The plan has no step \`${unknown}\`. Use the ids of steps in the plan.`,
    );
  if (steps.every((step) => declined.includes(step)))
    throw new ParaphError("input-invalid", "You left out every step. Deny the plan instead.");
}

/** Returns the role in which this person votes. Throws if the vote cannot count. */
export async function requireVoterRole(call: Call, voter: Principal, ports: Ports): Promise<Vote["as"]> {
  const others = await ports.store.hasOtherPerson(call.tenant, conflictedPrincipals(call.principal));
  const as = voterRole(voter, call.principal, others);
  if (as === "not-a-person")
    throw new ParaphError("approver-not-allowed", "Only a person can decide. Use a person's API key.");
  if (as === "own-call") {
    throw new ParaphError(
      "approver-not-allowed",
      "You can't decide on your own request or your agent's. Another person has to decide, or you withdraw the call.",
    );
  }
  return as;
}

/** Returns the transition for a vote, or `repeated` if the same person's last vote was the same and nothing changes. */
async function recordVote(
  call: Call,
  round: Approval,
  decision: Decision & { readonly payloads: readonly NewPayload[]; readonly inPlaceOf: readonly string[] },
  standing: Pick<Vote, "as" | "groups">,
  ports: Ports,
): Promise<Transition | "repeated"> {
  const at = ports.clock.now();
  const vote = { by: decision.voter.id, decision: decision.decision, at, ...standing };
  const told = [
    ...(decision.reason ? [createPayload("reason", decision.reason, ports)] : []),
    ...decision.payloads,
  ];
  const [answered] = decision.payloads;
  const voted: UnsealedEvent<"voted"> = {
    kind: "voted",
    at,
    data: {
      round: round.round,
      by: vote.by,
      decision: vote.decision,
      ...standing,
      ...(decision.inPlaceOf.length > 0 && { inPlaceOf: decision.inPlaceOf }),
      ...(decision.declined?.length && { declined: sortSteps(decision.declined) }),
      digest: round.digest,
      ...(answered && { answerDigest: answerDigest(call, round.digest, answered.value) }),
      ...(decision.decision === "approve" && decision.proof && { proof: decision.proof }),
      ...(decision.via !== undefined && { via: decision.via }),
      ...commitPayloads(told),
    },
  };
  const cast = sealEvent(call, voted, ports.sealer);
  const recorded = { vote: { approval: round.id, vote }, payloads: told };
  const closing = (status: "approved" | "denied") => ({
    event: { kind: "round-closed", at, data: { round: round.round, status, digest: round.digest } } as const,
    closeRound: { approval: round.id, status } as const,
  });

  if (decision.decision !== "approve") {
    const { event, closeRound } = closing("denied");
    const code = decision.decision === "return" ? "returned" : "denied";
    return closeCall(
      call,
      { outcome: { kind: "denied", code }, events: [cast, event], closeRound, ...recorded },
      ports,
    );
  }
  const events = [...call.events, ...numberEvents(call, [cast])];
  const payloads = mergePayloads(call.payloads, told);
  const all = [...round.votes.filter(({ by }) => by !== vote.by), vote];
  const votes = agreeingVotes({ ...call, events, payloads }, { ...round, votes: all });
  const checks = shownChecks(call);
  const evidence = { votes, checks, editors: listEditors(call) };
  const declined = listDeclinedSteps({ events }, round);
  const raised = round.guards.filter(({ steps }) => !steps?.every((step) => declined.has(step)));
  if (declinesEveryStep(call, declined)) {
    throw new ParaphError(
      "approval-changed",
      "Other approvers left out every step that you approve, so no step would remain. Deny the plan instead.",
    );
  }
  if (!raised.every((guard) => isDischarged(guard, evidence))) {
    // An auditor who counts the approvals of a receipt would otherwise count this person twice.
    if (isRepeated(call, voted)) return "repeated";
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

/** Returns whether the last vote of this person in this round equals this one. A reason or an answer makes it new. */
function isRepeated({ events }: Call, { data }: UnsealedEvent<"voted">): boolean {
  if (data.reason !== undefined || data.answer !== undefined) return false;
  const last = eventsOfKind(events, "voted").findLast(({ data: { by } }) => by === data.by)?.data;
  if (last === undefined) return false;
  // Two assertions about the same vote differ, because a signature is never the same twice.
  const { seal: _seal, reason: _reason, via: _via, proof: before, ...said } = last;
  const { via: _newVia, proof, ...now } = data;
  const isSame = canonical(said as unknown as Json) === canonical(now as unknown as Json);
  return isSame && (before === undefined) === (proof === undefined);
}

function declinesEveryStep(call: Call, declined: ReadonlySet<string>): boolean {
  const steps = lastPreview(call)?.steps ?? [];
  return steps.length > 0 && steps.every(({ id }) => declined.has(id));
}

/** Returns the check results that the approver saw. They are part of the question. */
function shownChecks(call: Call): readonly CheckResult[] {
  return (call.payloads.checks?.value as unknown as Checked | undefined)?.results ?? [];
}

function askedAt(call: Call): number {
  return call.events.findLast(({ kind }) => kind === "asked")?.at ?? call.createdAt;
}

function unknownApprovalError(): ParaphError {
  return new ParaphError(
    "approval-unknown",
    "There is no such approval. `paraph approvals` lists open approvals.",
  );
}

function closedError(status: string): ParaphError {
  return new ParaphError("approval-closed", `This approval is closed (${status}). Nothing was changed.`);
}
