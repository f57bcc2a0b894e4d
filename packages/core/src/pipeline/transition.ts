import type { Approval } from "../approval.ts";
import type { Call, Payloads } from "../call.ts";
import type { Event, NewEvent } from "../event.ts";
import type { Ports } from "../ports.ts";
import type { CommitResult, GateRejection, NewPayload, Transition, Wake } from "../store.ts";

/** The result of a commit: the call continues in this segment, or it rests. Both carry the messages to send. */
export type CommitOutcome = Continues | Rested;
/** A call that continues in this segment. */
export interface Continues {
  readonly kind: "on";
  readonly call: Call;
  readonly wakes: readonly Wake[];
}
/** A call that rests until its next message. */
export interface Rested {
  readonly kind: "rest";
  readonly call: Call;
  readonly wakes: readonly Wake[];
}

/** A transition that the gate rejected. The rows are unchanged. */
export interface Rejected {
  readonly kind: "stopped";
  readonly stop: GateRejection;
}

/**
 * Commits a transition and returns the updated call. If the epoch has changed, another segment owns the call, and the
 * returned call rests.
 */
export async function commitTransition(call: Call, move: Transition, ports: Ports): Promise<CommitOutcome> {
  const moved = await commitAtGate(call, move, ports);
  if (moved.kind === "stopped") throw new Error("a gate rejected a transition that has no gate");
  return moved;
}

/** Commits a transition that must pass a gate. */
export async function commitAtGate(
  call: Call,
  move: Transition,
  ports: Ports,
): Promise<CommitOutcome | Rejected> {
  const { tenant, call: id, epoch } = call;
  const committed = await ports.store.commit({ tenant, call: id, epoch, ...move });
  return committed.kind === "stopped" ? committed : toCommitOutcome(call, move, committed);
}

/**
 * Commits the result of an effect. Only this process knows the result, so it keeps the result while the signer or the
 * database is unavailable. It retries `conclude` and the commit together until the result is written, the epoch has
 * changed, or five minutes have passed.
 */
export async function commitAfterEffect(
  call: Call,
  conclude: () => Promise<Transition>,
  ports: Ports,
): Promise<CommitOutcome> {
  const patience = 5 * 60_000;
  const started = ports.clock.now();
  for (let pause = 50; ; pause = Math.min(pause * 2, 1_000)) {
    try {
      return await commitTransition(call, await conclude(), ports);
    } catch (error) {
      if (ports.clock.now() - started > patience) throw error;
      await ports.clock.sleep(pause);
    }
  }
}

/** Returns a resting call, with the messages to send. */
export function restCall(call: Call, wakes: readonly Wake[] = []): Rested {
  return { kind: "rest", call, wakes };
}

/** Ends the segment. If the call could continue, adds a message that wakes the call when it is due. */
export function toRested(committed: CommitOutcome, at?: number): Rested {
  return committed.kind === "rest"
    ? committed
    : restCall(committed.call, [...committed.wakes, createWake(committed.call, at ?? committed.call.nextAt)]);
}

/**
 * [P2] Rests a call that has nothing to do before `due`. A clock that jumped may have set `nextAt` later than `due`.
 * The function then sets `nextAt` back, because the sweeper would otherwise pick the call up too late.
 */
export async function restUntil(call: Call, due: number, ports: Ports): Promise<Rested> {
  if ((call.nextAt ?? due) <= due) return restCall(call);
  return toRested(await commitTransition(call, { state: call.state, nextAt: due, events: [] }, ports));
}

/** Returns the message that runs the next segment of this call, immediately or at the time `at`. */
export function createWake(call: Call, at?: number): Wake {
  return { tenant: call.tenant, call: call.call, epoch: call.epoch, ...(at === undefined ? {} : { at }) };
}

/**
 * Returns the message that wakes the composite of a closed step. Returns an empty list if no composite must be woken.
 */
export function wakeParent({ tenant, state, parent, outcome }: Call): Wake[] {
  // A superseded step wakes no composite. Its successor wakes the composite when the successor closes.
  if (state !== "closed" || !parent || outcome?.kind === "superseded") return [];
  return [{ tenant, call: parent.call, epoch: 0 }];
}

/** Numbers new events so that they follow the call's events. */
export function numberEvents(call: Pick<Call, "events">, events: readonly NewEvent[]): Event[] {
  return events.map((event, index) => ({ seq: call.events.length + index + 1, ...event }));
}

/** Returns the call as its rows will be once `move` is committed. */
export function applyTransition(call: Call, move: Transition, epoch: number): Call {
  const { stuck: _freed, deaths = 0, ...kept } = call;
  return {
    ...kept,
    ...(deaths > 0 && move.segment && { deaths }),
    ...(move.stuck !== undefined && { stuck: move.stuck }),
    epoch,
    state: move.state,
    nextAt: move.nextAt,
    deadline: move.deadline ?? call.deadline,
    outcome: move.outcome ?? call.outcome,
    approval: approvalAfter(call.approval, move),
    attempts: attemptsAfter(call.attempts, move),
    events: [...call.events, ...numberEvents(call, move.events)],
    payloads: mergePayloads(call.payloads, move.payloads),
  };
}

function toCommitOutcome(
  call: Call,
  move: Transition,
  committed: Exclude<CommitResult, Rejected>,
): CommitOutcome {
  if (committed.kind !== "done") return restCall(call);
  const moved = applyTransition(call, move, committed.epoch);
  const wakes = [...committed.wake, ...wakeParent(moved)];
  return { kind: moved.state === "closed" ? "rest" : "on", call: moved, wakes };
}

function approvalAfter(
  approval: Approval | undefined,
  { ask, closeRound, vote }: Transition,
): Approval | undefined {
  if (ask) return { ...ask, status: "open", votes: [] };
  if (!approval) return undefined;
  const votes = vote
    ? [...approval.votes.filter(({ by }) => by !== vote.vote.by), vote.vote]
    : approval.votes;
  if (!closeRound) return { ...approval, votes };
  return { ...approval, votes, status: closeRound.status };
}

function attemptsAfter(attempts: Call["attempts"], { endAttempt, intent }: Transition): Call["attempts"] {
  const ended = attempts.map((attempt) =>
    attempt.number === endAttempt?.attempt ? { ...attempt, ended: endAttempt.as } : attempt,
  );
  if (!intent) return ended;
  return [...ended, { number: intent.attempt, at: intent.at, deadline: intent.deadline, writerGone: false }];
}

export function mergePayloads(payloads: Payloads, added: readonly NewPayload[] = []): Payloads {
  return {
    ...payloads,
    ...Object.fromEntries(added.map(({ name, salt, value }) => [name, { salt, value }])),
  };
}
