import type { Call, CallRef, Child, Payload, PayloadName } from "../../call.ts";
import { countsAsNotBegun } from "../../capability/fault-kind.ts";
import type { Grant } from "../../grant.ts";
import type { Usage } from "../../limit.ts";
import type { Principal } from "../../principal.ts";
import type {
  CommitResult,
  FencedTransition,
  LockRequest,
  LockResult,
  NewCall,
  NewResolution,
  OpenResult,
  Store,
} from "../../store.ts";
import type { GateEntry } from "./model-gates.ts";
import {
  appendEvents,
  type CallRow,
  deepCopy,
  type ModelProcess,
  toCallRow,
  toChildren,
  toIntentRow,
} from "./model-rows.ts";
import { listFreezesOn, ModelTables, toCallName } from "./model-tables.ts";
import {
  assertOpeningPossible,
  assertTransitionPossible,
  beginSegment,
  isTimely,
  recordSegment,
  toAcceptance,
  toGateEntry,
  writeRounds,
} from "./model-transitions.ts";
import { ModelUndelivered } from "./model-undelivered.ts";
import { ModelUndos } from "./model-undos.ts";

/** A store handle of one process. After `die`, the store knows that the intents of this process are orphans. */
export interface ProcessStore extends Store {
  die(): void;
}

/**
 * An in-memory model of the PostgreSQL store. The pipeline is tested against it, and the conformance suite holds both
 * stores to the same behaviour. Each method runs without interruption, like a transaction. The model itself acts as a
 * process that never dies.
 */
export class ModelStore extends ModelTables implements Store {
  readonly #own: ModelProcess = { isAlive: true };
  readonly #undos = new ModelUndos();
  readonly #undelivered = new ModelUndelivered();

  async load(ref: CallRef): Promise<Call | undefined> {
    const row = this.byName.get(toCallName(ref));
    return row && this.loadRow(row);
  }

  /** Returns the values that a payload has had, oldest first. */
  payloadVersions(ref: CallRef, name: PayloadName): readonly Payload[] {
    const payloads = this.byName.get(toCallName(ref))?.payloads ?? [];
    return deepCopy(payloads.filter((payload) => payload.name === name));
  }

  async begin(ref: CallRef): Promise<Call | undefined> {
    return this.#beginAs(this.#own, ref);
  }

  async #beginAs(runner: ModelProcess, ref: CallRef): Promise<Call | undefined> {
    const row = this.byName.get(toCallName(ref));
    if (row) beginSegment(row, runner);
    return row && this.loadRow(row);
  }

  async findByKey(principal: Principal, key: string): Promise<Call | undefined> {
    const row = this.findRowByKey(principal, key);
    return row && this.loadRow(row);
  }

  async findByApproval(tenant: string, approval: string): Promise<Call | undefined> {
    const row = this.rows().find(
      (candidate) => candidate.tenant === tenant && candidate.rounds.some(({ id }) => id === approval),
    );
    return row && this.loadRow(row);
  }

  async children({ tenant, call }: CallRef): Promise<readonly Child[]> {
    const steps = this.rows().filter((row) => row.tenant === tenant && row.parent?.call === call);
    return toChildren(steps);
  }

  async hasOtherPerson(tenant: string, except: readonly string[]): Promise<boolean> {
    return this.people.hasOtherPerson(tenant, except);
  }

  async delegationsTo(tenant: string, person: string): ReturnType<Store["delegationsTo"]> {
    return deepCopy(this.people.listDelegationsTo(tenant, person, this.clock.now()));
  }

  async findDuplicate(
    principal: Principal,
    session: string,
    requestDigest: string,
  ): Promise<Call | undefined> {
    const open = this.findOpenDuplicate(principal, session, requestDigest);
    if (open) return this.loadRow(open);
    const undelivered = this.#undelivered.find(principal, session, requestDigest, this.clock.now());
    return undelivered && this.load(undelivered);
  }

  async markDelivered(tenant: string, calls: readonly string[]): Promise<void> {
    this.#undelivered.markDelivered(tenant, calls);
  }

  async grants({ tenant, id }: Principal, capability: string): Promise<readonly Grant[]> {
    return deepCopy(this.getGates(tenant).listGrants(id, capability, this.clock.now()));
  }

  async usage(principal: Principal): Promise<Usage> {
    return this.computeUsage(principal);
  }

  async countDenials(principal: Principal, atMost: number): Promise<number> {
    return Math.min(atMost, this.computeUsage(principal).deniedLastHour);
  }

  async open(newCall: NewCall): Promise<OpenResult> {
    return this.#openAs(this.#own, newCall);
  }

  async #openAs(writer: ModelProcess, newCall: NewCall): Promise<OpenResult> {
    const row = this.findRowByKey(newCall.principal, newCall.key);
    if (row) return { kind: "exists", call: this.loadRow(row) };
    assertOpeningPossible(this.rows(), newCall);
    const stop = this.#stop(newCall.tenant, toAcceptance(newCall));
    if (stop) return { kind: "stopped", stop };
    const undoneBy = this.#undos.claim(this.rows(), newCall);
    if (undoneBy !== undefined) return { kind: "undone", by: undoneBy };
    if (!this.#stepsOn(newCall)) return { kind: "lost" };
    const duplicate = this.#undelivered.addUnlessKnown(newCall, this.clock.now());
    if (duplicate) return { kind: "duplicate", call: this.loadRow(this.byName.get(toCallName(duplicate))!) };
    this.#insert(writer, newCall);
    return { kind: "opened" };
  }

  /**
   * [fence] Returns whether the call may be opened. A step may be opened only at the current epoch of a composing call,
   * and this method raises that epoch.
   */
  #stepsOn({ tenant, parent, parentEpoch }: NewCall): boolean {
    if (!parent || parentEpoch === undefined) return true;
    const row = this.findAtEpoch({ tenant, call: parent.call, epoch: parentEpoch });
    if (row?.state !== "composing") return false;
    row.epoch += 1;
    delete row.deaths;
    return true;
  }

  #insert(writer: ModelProcess, newCall: NewCall): void {
    const row = toCallRow(newCall, writer, this.clock.now());
    this.byName.set(toCallName(newCall), row);
    const at = toAcceptance(newCall);
    if (at) this.getGates(row.tenant).reserve(at, this.clock.now());
  }

  async commit(transition: FencedTransition): Promise<CommitResult> {
    return this.#commitAs(this.#own, transition);
  }

  async supersede(ending: FencedTransition, successor: NewCall): Promise<CommitResult> {
    return this.#supersedeAs(this.#own, ending, successor);
  }

  async resolve(found: NewResolution): Promise<CommitResult> {
    const { resolution, event, payloads, statement, settle } = deepCopy(found);
    const row = this.byName.get(toCallName(found));
    if (row?.outcome?.kind !== "unknown" || row.resolution || row.epoch !== found.epoch)
      return { kind: "lost" };
    row.resolution = resolution;
    row.statement = statement;
    row.epoch += 1;
    appendEvents(row, [event]);
    row.payloads.push(...payloads);
    this.getGates(row.tenant).settle(row.call, settle.spent);
    return { kind: "done", epoch: row.epoch, wake: this.release(row) };
  }

  async lock(taking: LockRequest): Promise<LockResult> {
    const row = this.findAtEpoch(taking);
    if (!row) return { kind: "lost" };
    const locks = this.getLocks(row.tenant);
    if (locks.isHolding(row.call, row.lockKeys)) return { kind: "held", epoch: row.epoch, fresh: false };

    if (locks.canTake(row.call, row.lockKeys)) {
      this.hold(row, taking.heldNextAt);
      return { kind: "held", epoch: row.epoch, fresh: true, at: this.clock.now() };
    }
    row.state = "queued";
    row.nextAt = taking.queuedNextAt;
    const position = locks.enqueue(row.call, row.lockKeys);
    if (position !== undefined) {
      row.epoch += 1;
      const data = { keys: row.lockKeys.length, position };
      appendEvents(row, [{ kind: "queued", at: this.clock.now(), data }]);
    }
    return { kind: "queued", epoch: row.epoch };
  }

  /** Opens a store handle for a process that can die. */
  startProcess(): ProcessStore {
    const life: ModelProcess = { isAlive: true };
    const living = <T>(body: () => Promise<T>): Promise<T> =>
      life.isAlive ? body() : Promise.reject(new Error("model: this process is dead"));
    return {
      load: (ref) => living(() => this.load(ref)),
      begin: (ref) => living(() => this.#beginAs(life, ref)),
      findByKey: (principal, key) => living(() => this.findByKey(principal, key)),
      findByApproval: (tenant, approval) => living(() => this.findByApproval(tenant, approval)),
      open: (newCall) => living(() => this.#openAs(life, newCall)),
      lock: (taking) => living(() => this.lock(taking)),
      commit: (transition) => living(async () => this.#commitAs(life, transition)),
      children: (ref) => living(() => this.children(ref)),
      hasOtherPerson: (tenant, except) => living(() => this.hasOtherPerson(tenant, except)),
      grants: (principal, capability) => living(() => this.grants(principal, capability)),
      usage: (principal) => living(() => this.usage(principal)),
      countDenials: (...given) => living(() => this.countDenials(...given)),
      supersede: (ending, successor) => living(async () => this.#supersedeAs(life, ending, successor)),
      resolve: (found) => living(() => this.resolve(found)),
      findDuplicate: (...given) => living(() => this.findDuplicate(...given)),
      markDelivered: (...given) => living(() => this.markDelivered(...given)),
      delegationsTo: (tenant, person) => living(() => this.delegationsTo(tenant, person)),
      die: () => {
        life.isAlive = false;
      },
    };
  }

  /** [P6] Checks every condition of the successor's opening before it writes the end of the old call. */
  #supersedeAs(writer: ModelProcess, ending: FencedTransition, successor: NewCall): CommitResult {
    const moving = this.#mayMove(ending);
    if (moving.kind !== "may") return moving;
    if (this.findRowByKey(successor.principal, successor.key))
      throw new Error("model: the successor's key is taken");
    assertOpeningPossible(this.rows(), successor);
    const stop = this.#stop(successor.tenant, toAcceptance(successor));
    if (stop) return { kind: "stopped", stop };
    const committed = this.#commitAs(writer, ending);
    this.#undos.claim(this.rows(), successor);
    this.#insert(writer, successor);
    return committed;
  }

  /** Checks the fence, then the time conditions, then the gate. */
  #mayMove(
    transition: FencedTransition,
  ): Exclude<CommitResult, { kind: "done" }> | { kind: "may"; row: CallRow; at: GateEntry | undefined } {
    const row = this.findAtEpoch(transition);
    if (!row) return { kind: "lost" };
    if (!isTimely(row, transition, this.clock.now())) return { kind: "untimely" };
    assertTransitionPossible(row, transition);
    const { gate, intent } = transition;
    const at = gate && toGateEntry(row, gate, { accepts: false, intends: intent !== undefined });
    const stop = this.#stop(row.tenant, at);
    return stop ? { kind: "stopped", stop } : { kind: "may", row, at };
  }

  /** Commits a transition in one transaction: all checks first, then every write. */
  #commitAs(writer: ModelProcess, given: FencedTransition): CommitResult {
    const transition = deepCopy(given);
    const moving = this.#mayMove(transition);
    if (moving.kind !== "may") return moving;
    const { row, at } = moving;
    const { settle } = transition;

    this.#write(row, transition, writer);
    if (at) this.getGates(row.tenant).reserve(at, this.clock.now());
    const places = settle ? this.getGates(row.tenant).settle(row.call, settle.spent) : [];
    const freed = [...(transition.unlock ? this.release(row) : []), ...this.wakeForPlaces(row, places)];
    if (this.waitForPlace(row, transition.waitFor)) freed.push(this.wake(row));
    // The freeze may have been lifted after it stopped this call and before this commit. No thaw would then wake the
    // call.
    const thawed = row.state === "parked" && listFreezesOn(this.getGates(row.tenant), row).length === 0;
    return { kind: "done", epoch: row.epoch, wake: thawed ? [...freed, this.wake(row)] : freed };
  }

  #stop(tenant: string, at: GateEntry | undefined) {
    return at && this.getGates(tenant).findRejection(at, this.clock.now());
  }

  #write(row: CallRow, transition: FencedTransition, writer: ModelProcess): void {
    const { intent, endAttempt, gate } = transition;
    row.epoch += 1;
    row.state = transition.state;
    row.nextAt = transition.nextAt;
    if (transition.deadline !== undefined) row.deadline = transition.deadline;
    if (transition.outcome) row.outcome = transition.outcome;
    recordSegment(row, transition, writer);
    if (transition.state === "closed") row.closedAt = this.clock.now();
    if (transition.receipt) row.receipt = transition.receipt;
    appendEvents(row, transition.events);
    row.payloads.push(...(transition.payloads ?? []));
    writeRounds(row, transition);
    const ended = row.intents.find(({ attempt }) => attempt === endAttempt?.attempt);
    if (ended && endAttempt) ended.ended = endAttempt.as;
    if (ended?.grant && countsAsNotBegun(ended.ended)) this.getGates(row.tenant).giveBack(ended.grant);
    if (intent) row.intents.push(toIntentRow(intent, writer, gate));
  }
}
