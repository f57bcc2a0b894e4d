import type { Approval } from "../approval.ts";
import type { Call, Payloads } from "../call.ts";
import type { Event, NewEvent } from "../event.ts";
import type { CommitResult, GateRejection, NewPayload, Ports, Transition, Wake } from "../ports.ts";

/** A call that goes on inside this segment, or one that rests; either with the messages it leaves to send. */
export type CommitOutcome = Continues | Rested;
export interface Continues {
  readonly kind: "on";
  readonly call: Call;
  readonly wakes: readonly Wake[];
}
export interface Rested {
  readonly kind: "rest";
  readonly call: Call;
  readonly wakes: readonly Wake[];
}

/** A gate that stayed shut: the rows are as they were. */
export interface Rejected {
  readonly kind: "stopped";
  readonly stop: GateRejection;
}

/** Commits a move and returns the call as it now stands; a lost fence means another segment owns it. */
export async function commitTransition(call: Call, move: Transition, ports: Ports): Promise<CommitOutcome> {
  const moved = await commitAtGate(call, move, ports);
  if (moved.kind === "stopped") throw new Error("a move without a gate was stopped by one");
  return moved;
}

/** The same for a move that stands before a gate. */
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
 * The same after an effect. Only this process knows what happened, so while the signer or the database is away it keeps
 * the result, and repeats concluding and writing together until it is written or the fence is lost.
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

export function restCall(call: Call, wakes: readonly Wake[] = []): Rested {
  return { kind: "rest", call, wakes };
}

/** Ends the segment here: a call that could go on is looked at again when it is due. */
export function toRested(moved: CommitOutcome, at?: number): Rested {
  return moved.kind === "rest"
    ? moved
    : restCall(moved.call, [...moved.wakes, createWake(moved.call, at ?? moved.call.nextAt)]);
}

/**
 * [P2] Nothing is to be done before `due`. A clock that had leapt may have put the sweeper's next look off beyond
 * that: it goes back to where it belongs, or nobody would look for as long as the clock was wrong.
 */
export async function restUntil(call: Call, due: number, ports: Ports): Promise<Rested> {
  if ((call.nextAt ?? due) <= due) return restCall(call);
  return toRested(await commitTransition(call, { state: call.state, nextAt: due, events: [] }, ports));
}

/** The message that has this call looked at again, at once or at a time. */
export function createWake(call: Call, at?: number): Wake {
  return { tenant: call.tenant, call: call.call, epoch: call.epoch, ...(at === undefined ? {} : { at }) };
}

/** A step that has ended lets its composite go on. */
export function wakeParent({ tenant, state, parent, outcome }: Call): Wake[] {
  // Whoever takes the place of a superseded step goes on for it.
  if (state !== "closed" || !parent || outcome?.kind === "superseded") return [];
  return [{ tenant, call: parent.call, epoch: 0 }];
}

/** Numbers new events so that they follow what the call has. */
export function numberEvents(call: Pick<Call, "events">, events: readonly NewEvent[]): Event[] {
  return events.map((event, index) => ({ seq: call.events.length + index + 1, ...event }));
}

/** The call as the rows will have it once `move` is committed. */
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
