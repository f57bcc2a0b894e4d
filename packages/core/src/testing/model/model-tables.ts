import type { Call, CallRef } from "../../call.ts";
import type { Event } from "../../event.ts";
import { eventsOfKind, lastEvent, toRecorded } from "../../event.ts";
import type { Freeze } from "../../freeze.ts";
import type { Limit, Usage } from "../../limit.ts";
import type { Clock } from "../../ports.ts";
import type { Principal } from "../../principal.ts";
import type { Envelope } from "../../receipts/dsse.ts";
import { rebuildReceipt } from "../../receipts/receipt.ts";
import type { NewReceipt, NewStatement, Wake } from "../../store.ts";
import { ModelGates } from "./model-gates.ts";
import { ModelLocks } from "./model-locks.ts";
import { ModelPeople } from "./model-people.ts";
import { appendEvents, type CallRow, toCall } from "./model-rows.ts";

/** The time by which the sweeper delays a call that it found, so that the next sweep does not find it again. */
const sweepDelayMs = 10_000;

/** The model's rows, and the operations of administrators, the sweeper and tests that are not transitions. */
export class ModelTables {
  protected readonly clock: Pick<Clock, "now">;
  protected readonly byName = new Map<string, CallRow>();
  readonly #locks = new Map<string, ModelLocks>();
  readonly #gates = new Map<string, ModelGates>();
  readonly people = new ModelPeople();
  #restoredAt: number | undefined;

  constructor(clock: Pick<Clock, "now">) {
    this.clock = clock;
  }

  /** Records that the rows were restored from a backup. */
  recordRestore(): void {
    this.#restoredAt = this.clock.now();
  }

  addPrincipal(principal: Principal): void {
    this.people.add(principal);
  }

  /** Runs the sweeper. It returns the open calls that are due, and delays them so that the next sweep skips them. */
  sweepDue(now: number): Wake[] {
    const due = this.rows().filter(
      (row) => row.state !== "closed" && row.nextAt !== undefined && row.nextAt <= now,
    );
    for (const row of due) row.nextAt = now + sweepDelayMs;
    return due.map(({ tenant, call, epoch }) => ({ tenant, call, epoch }));
  }

  calls(): Call[] {
    return this.rows().map((row) => this.loadRow(row));
  }

  events(ref: CallRef): readonly Event[] {
    return this.byName.get(toCallName(ref))?.events ?? [];
  }

  receipt(ref: CallRef): NewReceipt | undefined {
    return this.byName.get(toCallName(ref))?.receipt;
  }

  /** Returns the signed receipt of a call with its events. */
  envelope(ref: CallRef): Envelope | undefined {
    const stored = this.receipt(ref);
    return stored && rebuildReceipt(stored, toRecorded(this.events(ref)));
  }

  /** Returns the signed statement about the resolution of an unknown outcome. */
  statement(ref: CallRef): NewStatement | undefined {
    return this.byName.get(toCallName(ref))?.statement;
  }

  /** [TRUST 19] Returns the first open call for the same request. */
  findOpenDuplicate({ tenant, id }: Principal, session: string, requestDigest: string): CallRow | undefined {
    const duplicates = this.rows().filter(
      (row) =>
        row.tenant === tenant &&
        row.principal.id === id &&
        row.session.session === session &&
        row.requestDigest === requestDigest &&
        row.state !== "closed",
    );
    return duplicates.sort((a, b) => (a.call < b.call ? -1 : 1))[0];
  }

  rows(): CallRow[] {
    return [...this.byName.values()];
  }

  getLocks(tenant: string): ModelLocks {
    const locks = this.#locks.get(tenant) ?? new ModelLocks();
    this.#locks.set(tenant, locks);
    return locks;
  }

  getGates(tenant: string): ModelGates {
    const gates = this.#gates.get(tenant) ?? new ModelGates();
    this.#gates.set(tenant, gates);
    return gates;
  }

  /** Freezes a subject and returns the unfinished intents that the freeze covers. */
  freeze(tenant: string, freeze: Omit<Freeze, "at">): { call: string; attempt: number }[] {
    const gates = this.getGates(tenant);
    gates.freeze({ ...freeze, at: this.clock.now() });
    return this.rows()
      .filter((row) => row.tenant === tenant && row.state !== "closed")
      .filter((row) => listFreezesOn(gates, row).some(({ id }) => id === freeze.id))
      .flatMap(({ call, intents }) =>
        intents.filter(({ ended }) => ended === undefined).map(({ attempt }) => ({ call, attempt })),
      );
  }

  /** Thaws a subject and makes due every parked call that no freeze covers any more. */
  thaw(tenant: string, id: string): Wake[] {
    const gates = this.getGates(tenant);
    gates.thaw(id);
    const parked = this.rows().filter((row) => row.tenant === tenant && row.state === "parked");
    return parked.filter((row) => listFreezesOn(gates, row).length === 0).map((row) => this.wake(row));
  }

  protected findAtEpoch(at: CallRef & { epoch: number }): CallRow | undefined {
    const row = this.byName.get(toCallName(at));
    return row && row.state !== "closed" && row.epoch === at.epoch ? row : undefined;
  }

  protected findRowByKey(principal: Principal, key: string): CallRow | undefined {
    return this.rows().find(
      (row) => row.tenant === principal.tenant && row.principal.id === principal.id && row.key === key,
    );
  }

  /** Frees the keys of the call. The next call gets its keys at once if all of them are free now. */
  protected release({ tenant, call: released }: CallRow): Wake[] {
    return [...this.getLocks(tenant).release(released)].map(([call, heads]) => {
      const next = this.byName.get(toCallName({ tenant, call }))!;
      if (next.lockKeys.every((key) => heads.includes(key))) this.hold(next, this.clock.now());
      return this.wake(next);
    });
  }

  /** Gives the call all its keys, which are free. */
  protected hold(row: CallRow, nextAt: number): void {
    this.getLocks(row.tenant).take(row.call, row.lockKeys);
    row.state = "ready";
    row.nextAt = nextAt;
    row.epoch += 1;
    const data = { keys: row.lockKeys.length };
    appendEvents(row, [{ kind: "locked", at: this.clock.now(), data }]);
  }

  /** Wakes, for each of these limit keys, the call that has waited longest for a place. */
  protected wakeForPlaces({ tenant }: CallRow, keys: readonly string[]): Wake[] {
    return keys.flatMap((key) => {
      const waiting = this.rows()
        .filter((row) => row.tenant === tenant && row.place?.key === key && row.state === "delayed")
        .sort((a, b) => a.place!.since - b.place!.since || (a.call < b.call ? -1 : 1));
      return waiting.slice(0, 1).map((row) => this.wake(row));
    });
  }

  /** Queues the call for a place, and keeps its position if it has one. Returns whether a place is already free. */
  protected waitForPlace(row: CallRow, limit: Limit | undefined): boolean {
    const now = this.clock.now();
    const room = limit && this.getGates(row.tenant).checkRoom(limit, now);
    const since = room && row.place?.key === room.key ? row.place.since : now;
    if (room) row.place = { key: room.key, since };
    else delete row.place;
    return room?.isFree === true;
  }

  protected computeUsage({ tenant, id }: Principal): Usage {
    const now = this.clock.now();
    const own = this.rows().filter((row) => row.tenant === tenant && row.principal.id === id);
    const count = (within: (row: CallRow) => boolean) => Math.min(10_000, own.filter(within).length);
    const hourAgo = now - 3_600_000;
    return {
      callsLastHour: count(({ createdAt }) => createdAt > hourAgo),
      callsLastDay: count(({ createdAt }) => createdAt > now - 86_400_000),
      deniedLastHour: count(
        ({ outcome, closedAt }) => outcome?.kind === "denied" && (closedAt ?? 0) > hourAgo,
      ),
      spentToday: this.getGates(tenant).getSpentToday(id, now),
    };
  }

  /** Makes the call due, so that the sweeper finds it if the message is lost. */
  protected wake(row: CallRow): Wake {
    row.nextAt = this.clock.now();
    return { tenant: row.tenant, call: row.call, epoch: row.epoch };
  }

  protected loadRow(row: CallRow): Call {
    const call = toCall(row, this.people.find(row.tenant, row.principal.id));
    const covered = lastEvent(call.events, "approval-inherited")?.data.votes;
    const decided: readonly { readonly by: string; readonly inPlaceOf?: readonly string[] }[] = [
      ...row.rounds.flatMap((round) => round.votes),
      ...eventsOfKind(call.events, "voted").map(({ data }) => data),
      ...eventsOfKind(call.events, "reassigned").map(({ data }) => data),
      ...(covered ?? []),
    ];
    const barred = decided
      .filter(({ by, inPlaceOf = [] }) =>
        [by, ...inPlaceOf].some((id) => this.findBarredReason(row.tenant, id)),
      )
      .map(({ by }) => by);
    return {
      ...call,
      ...(this.#restoredAt !== undefined && { restoredAt: this.#restoredAt }),
      ...(barred.length > 0 && { barredVoters: [...new Set(barred)].sort() }),
    };
  }

  /** [TRUST 33] Returns why this principal may not act, or undefined. */
  findBarredReason(tenant: string, id: string): Principal["barred"] {
    const frozen = this.getGates(tenant)
      .listFreezes()
      .some(({ kind, subject }) => kind === "principal" && subject === id);
    return frozen && this.people.find(tenant, id)?.kind === "person" ? "frozen" : undefined;
  }
}

export function listFreezesOn(gates: ModelGates, { principal, capability }: CallRow): Freeze[] {
  return gates.listFreezesOn([principal.id, principal.onBehalfOf], capability);
}

export const toCallName = ({ tenant, call }: CallRef): string => JSON.stringify([tenant, call]);
