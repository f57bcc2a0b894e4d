import type { Call, CallRef } from "../call.ts";
import type { Event } from "../event.ts";
import type { Freeze } from "../freeze.ts";
import type { Grant } from "../grant.ts";
import type { Usage } from "../limit.ts";
import type {
  Clock,
  Committed,
  Locked,
  NewReceipt,
  Opened,
  Opening,
  Store,
  Taking,
  Transition,
  Wake,
} from "../ports.ts";
import type { Principal } from "../principal.ts";
import { type AtGate, ModelGates } from "./model-gates.ts";
import { ModelLocks } from "./model-locks.ts";
import { appendEvents, type CallRow, callOf, copyOf, type Life, roundOf } from "./model-rows.ts";

/** A store handle of one process: once it has died, its intents are known to be orphans. */
export interface StoreLife extends Store {
  die(): void;
}

/** How far the sweeper pushes a call that it has just found, so that it is not found again at once. */
const sweptMs = 10_000;

/**
 * PostgreSQL's behaviour, in memory: what the pipeline is tested against, and what the conformance suite
 * holds the real store to. Each method runs in one go, as a transaction does. Used directly, the model is a
 * process that never dies.
 */
export class ModelStore implements Store {
  readonly #clock: Pick<Clock, "now">;
  readonly #rows = new Map<string, CallRow>();
  readonly #locks = new Map<string, ModelLocks>();
  readonly #gates = new Map<string, ModelGates>();
  readonly #principals: Principal[] = [];
  readonly #own: Life = { alive: true };

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  async load(ref: CallRef): Promise<Call | undefined> {
    const row = this.#rows.get(nameOf(ref));
    return row && this.#callOf(row);
  }

  async findByKey(principal: Principal, key: string): Promise<Call | undefined> {
    const row = this.#byKey(principal, key);
    return row && this.#callOf(row);
  }

  async findByApproval(tenant: string, approval: string): Promise<Call | undefined> {
    const row = this.rows().find(
      (candidate) => candidate.tenant === tenant && candidate.rounds.some(({ id }) => id === approval),
    );
    return row && this.#callOf(row);
  }

  async hasOtherPerson(tenant: string, except: readonly string[]): Promise<boolean> {
    return this.#principals.some(
      (principal) =>
        principal.tenant === tenant && principal.kind === "person" && !except.includes(principal.id),
    );
  }

  async grants({ tenant, id }: Principal, capability: string): Promise<readonly Grant[]> {
    return copyOf(this.gatesOf(tenant).grantsFor(id, capability, this.#clock.now()));
  }

  async usage({ tenant, id }: Principal): Promise<Usage> {
    const now = this.#clock.now();
    const own = this.rows().filter((row) => row.tenant === tenant && row.principal.id === id);
    const since = (ms: number) => Math.min(10_000, own.filter((row) => row.createdAt > now - ms).length);
    return {
      callsLastHour: since(3_600_000),
      callsLastDay: since(86_400_000),
      spentToday: this.gatesOf(tenant).spentToday(id, now),
    };
  }

  async open(opening: Opening): Promise<Opened> {
    return this.#openAs(this.#own, opening);
  }

  async #openAs(writer: Life, opening: Opening): Promise<Opened> {
    const taken = this.#byKey(opening.principal, opening.key);
    if (taken) return { kind: "exists", call: this.#callOf(taken) };
    if (this.#rows.has(nameOf(opening))) throw new Error("model: the call id is taken");
    const { events, payloads, ask, intent, receipt, gate, ...columns } = copyOf(opening);
    const at = gate && atGate(opening, gate, { accepts: true, intends: intent !== undefined });
    const stop = this.#stop(opening.tenant, at);
    if (stop) return { kind: "stopped", stop };

    const row: CallRow = {
      ...columns,
      epoch: 1,
      events: [],
      payloads: [...(payloads ?? [])],
      rounds: ask ? [roundOf(ask)] : [],
      intents: intent ? [{ ...intent, writer, ...(gate?.grant && { grant: gate.grant }) }] : [],
      ...(receipt && { receipt }),
    };
    appendEvents(row, events);
    this.#rows.set(nameOf(opening), row);
    if (at) this.gatesOf(row.tenant).take(at, this.#clock.now());
    return { kind: "opened" };
  }

  async commit(transition: Transition): Promise<Committed> {
    return this.#commitAs(this.#own, transition);
  }

  async lock(taking: Taking): Promise<Locked> {
    const row = this.#atEpoch(taking);
    if (!row) return { kind: "lost" };
    const locks = this.locksOf(row.tenant);
    if (locks.holds(row.call, row.lockKeys)) return { kind: "held", epoch: row.epoch, fresh: false };
    const data = { keys: row.lockKeys.length };

    if (locks.mayTake(row.call, row.lockKeys)) {
      locks.take(row.call, row.lockKeys);
      const at = this.#clock.now();
      appendEvents(row, [{ kind: "locked", at, data }]);
      row.state = "ready";
      row.nextAt = taking.heldNextAt;
      row.epoch += 1;
      return { kind: "held", epoch: row.epoch, fresh: true, at };
    }
    row.state = "queued";
    row.nextAt = taking.queuedNextAt;
    const position = locks.enqueue(row.call, row.lockKeys);
    if (position !== undefined) {
      appendEvents(row, [{ kind: "queued", at: this.#clock.now(), data: { ...data, position } }]);
      row.epoch += 1;
    }
    return { kind: "queued", epoch: row.epoch };
  }

  /** The store as one process holds it, until that process dies. */
  process(): StoreLife {
    const life: Life = { alive: true };
    const living = <T>(body: () => Promise<T>): Promise<T> =>
      life.alive ? body() : Promise.reject(new Error("model: this process is dead"));
    return {
      load: (ref) => living(() => this.load(ref)),
      findByKey: (principal, key) => living(() => this.findByKey(principal, key)),
      findByApproval: (tenant, approval) => living(() => this.findByApproval(tenant, approval)),
      open: (opening) => living(() => this.#openAs(life, opening)),
      lock: (taking) => living(() => this.lock(taking)),
      commit: (transition) => living(async () => this.#commitAs(life, transition)),
      hasOtherPerson: (tenant, except) => living(() => this.hasOtherPerson(tenant, except)),
      grants: (principal, capability) => living(() => this.grants(principal, capability)),
      usage: (principal) => living(() => this.usage(principal)),
      die: () => {
        life.alive = false;
      },
    };
  }

  addPrincipal(principal: Principal): void {
    const { tenant, id } = principal;
    if (!this.#principals.some((known) => known.tenant === tenant && known.id === id))
      this.#principals.push(principal);
  }

  setGroups(tenant: string, id: string, groups: readonly string[]): void {
    const index = this.#principals.findIndex((known) => known.tenant === tenant && known.id === id);
    const { groups: _, ...known } = this.#principals[index]!;
    this.#principals[index] = groups.length > 0 ? { ...known, groups: [...groups].sort() } : known;
  }

  principals(): readonly Principal[] {
    return [...this.#principals];
  }

  /** The sweeper: open calls that are due, pushed forward so that the next sweep leaves them alone. */
  due(now: number): Wake[] {
    const due = this.rows().filter(
      (row) => row.state !== "closed" && row.nextAt !== undefined && row.nextAt <= now,
    );
    for (const row of due) row.nextAt = now + sweptMs;
    return due.map(({ tenant, call, epoch }) => ({ tenant, call, epoch }));
  }

  calls(): Call[] {
    return this.rows().map((row) => this.#callOf(row));
  }

  events(ref: CallRef): readonly Event[] {
    return this.#rows.get(nameOf(ref))?.events ?? [];
  }

  receipt(ref: CallRef): NewReceipt | undefined {
    return this.#rows.get(nameOf(ref))?.receipt;
  }

  rows(): CallRow[] {
    return [...this.#rows.values()];
  }

  locksOf(tenant: string): ModelLocks {
    const locks = this.#locks.get(tenant) ?? new ModelLocks();
    this.#locks.set(tenant, locks);
    return locks;
  }

  gatesOf(tenant: string): ModelGates {
    const gates = this.#gates.get(tenant) ?? new ModelGates();
    this.#gates.set(tenant, gates);
    return gates;
  }

  /** Freezes, and lists the intents that it covers and that have not ended. */
  freeze(tenant: string, freeze: Omit<Freeze, "at">): { call: string; attempt: number }[] {
    const gates = this.gatesOf(tenant);
    gates.freeze({ ...freeze, at: this.#clock.now() });
    return this.rows()
      .filter((row) => row.tenant === tenant && row.state !== "closed")
      .filter((row) => freezesOn(gates, row).some(({ id }) => id === freeze.id))
      .flatMap(({ call, intents }) =>
        intents.filter(({ ended }) => ended === undefined).map(({ attempt }) => ({ call, attempt })),
      );
  }

  /** Thaws, and makes due every parked call that nothing freezes any more. */
  thaw(tenant: string, id: string): Wake[] {
    const gates = this.gatesOf(tenant);
    gates.thaw(id);
    const parked = this.rows().filter((row) => row.tenant === tenant && row.state === "parked");
    return parked.filter((row) => freezesOn(gates, row).length === 0).map((row) => this.#wake(row));
  }

  /** The one transaction that moves a call on: fence, then the clock's say, then the gate's, then every write. */
  #commitAs(writer: Life, given: Transition): Committed {
    const transition = copyOf(given);
    const row = this.#atEpoch(transition);
    if (!row) return { kind: "lost" };
    if (!isTimely(row, transition, this.#clock.now())) return { kind: "untimely" };
    refuseImpossible(row, transition);
    const { gate, intent, settle } = transition;
    const at = gate && atGate(row, gate, { accepts: false, intends: intent !== undefined });
    const stop = this.#stop(row.tenant, at);
    if (stop) return { kind: "stopped", stop };

    this.#write(row, transition, writer);
    if (at) this.gatesOf(row.tenant).take(at, this.#clock.now());
    if (settle) this.gatesOf(row.tenant).settle(row.call, settle.spent);
    const freed = transition.unlock ? this.#release(row) : [];
    // Thawed since it was stopped: then nobody else would wake it.
    const thawed = row.state === "parked" && freezesOn(this.gatesOf(row.tenant), row).length === 0;
    return { kind: "done", epoch: row.epoch, wake: thawed ? [...freed, this.#wake(row)] : freed };
  }

  #stop(tenant: string, at: AtGate | undefined) {
    return at && this.gatesOf(tenant).stop(at, this.#clock.now());
  }

  #write(row: CallRow, transition: Transition, writer: Life): void {
    const { vote, closeRound, ask, intent, endAttempt, gate } = transition;
    row.epoch += 1;
    row.state = transition.state;
    row.nextAt = transition.nextAt;
    if (transition.deadline !== undefined) row.deadline = transition.deadline;
    if (transition.outcome) row.outcome = transition.outcome;
    if (transition.receipt) row.receipt = transition.receipt;
    appendEvents(row, transition.events);
    row.payloads.push(...(transition.payloads ?? []));
    if (vote) {
      const round = roundNamed(row, vote.approval);
      round.votes = [...round.votes.filter(({ by }) => by !== vote.vote.by), vote.vote];
    }
    if (closeRound) roundNamed(row, closeRound.approval).status = closeRound.status;
    if (ask) row.rounds.push(roundOf(ask));
    const ended = row.intents.find(({ attempt }) => attempt === endAttempt?.attempt);
    if (ended && endAttempt) ended.ended = endAttempt.as;
    if (ended?.grant && ended.ended === "not-performed") this.gatesOf(row.tenant).giveBack(ended.grant);
    if (intent) row.intents.push({ ...intent, writer, ...(gate?.grant && { grant: gate.grant }) });
  }

  #release(row: CallRow): Wake[] {
    return this.locksOf(row.tenant)
      .release(row.call)
      .map((call) => this.#wake(this.#rows.get(nameOf({ tenant: row.tenant, call }))!));
  }

  /** Made due, so that the sweeper finds it if the message is lost. */
  #wake(row: CallRow): Wake {
    row.nextAt = this.#clock.now();
    return { tenant: row.tenant, call: row.call, epoch: row.epoch };
  }

  #callOf(row: CallRow): Call {
    return callOf(
      row,
      this.#principals.find(({ tenant, id }) => tenant === row.tenant && id === row.principal.id),
    );
  }

  #atEpoch(at: CallRef & { epoch: number }): CallRow | undefined {
    const row = this.#rows.get(nameOf(at));
    return row && row.state !== "closed" && row.epoch === at.epoch ? row : undefined;
  }

  #byKey(principal: Principal, key: string): CallRow | undefined {
    return this.rows().find(
      (row) => row.tenant === principal.tenant && row.principal.id === principal.id && row.key === key,
    );
  }
}

function atGate(
  { call, principal, capability }: Pick<Opening, "call" | "principal" | "capability">,
  gate: AtGate["gate"],
  stage: Pick<AtGate, "accepts" | "intends">,
): AtGate {
  return { call, principal: principal.id, capability, gate, ...stage };
}

function freezesOn(gates: ModelGates, { principal, capability }: CallRow): Freeze[] {
  return gates.freezesOn(principal.id, capability);
}

/** [P15] The store's own clock decides whether a round still takes votes, or has already run out. */
function isTimely(row: CallRow, { vote, closeRound }: Transition, now: number): boolean {
  const takesVotes = (id: string) => {
    const { status, expiresAt } = roundNamed(row, id);
    return status === "open" && expiresAt > now;
  };
  if (vote && !takesVotes(vote.approval)) return false;
  if (!closeRound) return true;
  const { status, expiresAt } = roundNamed(row, closeRound.approval);
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

function roundNamed(row: CallRow, approval: string) {
  const round = row.rounds.find(({ id }) => id === approval);
  if (!round) throw new Error("model: the call has no such round");
  return round;
}

/** What a constraint of the database would refuse: always a bug in the pipeline. */
function refuseImpossible(row: CallRow, { receipt, intent, endAttempt }: Transition): void {
  const has = (number: number) => row.intents.some(({ attempt }) => attempt === number);
  if (receipt && row.receipt) throw new Error("model: the call has a receipt already");
  if (intent && has(intent.attempt)) throw new Error("model: the attempt has an intent already");
  if (endAttempt && !has(endAttempt.attempt)) throw new Error("model: the call has no such attempt");
}

const nameOf = ({ tenant, call }: CallRef): string => JSON.stringify([tenant, call]);
