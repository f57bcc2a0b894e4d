import { adapterName } from "../../capability/contract.ts";
import { adminAdapter, type Freeze } from "../../freeze.ts";
import type { Grant } from "../../grant.ts";
import type { Limit } from "../../limit.ts";
import type { Gate, GateRejection } from "../../store.ts";

/** A call that passes a gate at its acceptance, at an intent, or at both in one transaction. */
export interface GateEntry {
  readonly call: string;
  /** The requester, and the person on whose behalf it acts. */
  readonly principals: readonly (string | undefined)[];
  readonly capability: string;
  readonly gate: Gate;
  readonly accepts: boolean;
  readonly intends: boolean;
}

interface ReservedCount {
  readonly kind: Limit["kind"];
  readonly key: string;
  readonly amount: number;
}

interface GrantRow {
  grant: Grant;
  revoked: boolean;
}

/**
 * The freezes, grants, limits and policy that the gates of one tenant check. PostgreSQL holds the same data in tables.
 */
export class ModelGates {
  readonly #freezes: { readonly freeze: Freeze; thawed: boolean }[] = [];
  readonly #grants = new Map<string, GrantRow>();
  readonly #used = new Map<string, number>();
  readonly #reserved = new Map<string, ReservedCount[]>();
  #policy: string | undefined;

  /** Returns why the gate rejects the entry, or undefined. Changes nothing. */
  findRejection(at: GateEntry, now: number): GateRejection | undefined {
    const { gate } = at;
    const freeze = this.listFreezesOn(at.principals, at.capability, gate.adapter)[0];
    if (freeze) return { reason: "frozen", freeze: { id: freeze.id, kind: freeze.kind } };
    if (this.#policy !== undefined && gate.policy !== undefined && gate.policy !== this.#policy)
      return { reason: "policy-changed" };
    if (at.intends && gate.grant && !this.#lasts(gate.grant, now))
      return { reason: "grant-spent", grant: gate.grant.id };
    const full = this.#limitsOn(at).find(
      (limit) => this.#usedOf(toCountKey(limit, now)) + limit.amount > limit.max,
    );
    return full && toLimitRejection(full, now);
  }

  reserve(at: GateEntry, now: number): void {
    const { gate, call } = at;
    const counts = new Map<string, ReservedCount>();
    for (const limit of this.#limitsOn(at))
      counts.set(toCountKey(limit, now), {
        kind: limit.kind,
        key: toCountKey(limit, now),
        amount: limit.amount,
      });
    if (at.intends && gate.spend && !this.#holds(call, toSpendPrefix(gate.spend.principal))) {
      const key = toSpendKey(gate.spend.principal, now);
      counts.set(key, { kind: "money", key, amount: gate.spend.amount });
    }
    for (const { key, amount } of counts.values()) this.#add(key, amount);
    const held = [...counts.values()].filter(({ kind }) => kind !== "calls");
    this.#reserved.set(call, [...(this.#reserved.get(call) ?? []), ...held]);
    if (at.intends && gate.grant) this.#spend(gate.grant.id, 1, gate.grant.amount);
  }

  /** Restores the grant after an attempt that was certainly not performed. */
  giveBack({ id, amount }: NonNullable<Gate["grant"]>): void {
    this.#spend(id, -1, -amount);
  }

  /** Settles the call's reservations and returns the keys under which places are free now. */
  settle(call: string, spent: number | "unknown"): string[] {
    const held = this.#reserved.get(call) ?? [];
    const kept = held.filter(({ kind }) => spent === "unknown" && kind === "money");
    for (const { kind, key, amount } of held.filter((one) => !kept.includes(one)))
      this.#add(key, (kind === "money" && spent !== "unknown" ? spent : 0) - amount);
    this.#reserved.set(call, kept);
    return held.filter(({ kind }) => kind === "concurrency").map(({ key }) => key);
  }

  /** Returns the key of the limit's current count, and whether the count has room for the amount. */
  checkRoom(limit: Limit, now: number): { readonly key: string; readonly isFree: boolean } {
    const key = toCountKey(limit, now);
    return { key, isFree: this.#usedOf(key) + limit.amount <= limit.max };
  }

  /** Returns the freezes in force that cover the call, oldest first. */
  listFreezesOn(
    principals: readonly (string | undefined)[],
    capability: string,
    adapter = adapterName({ name: capability }),
  ): Freeze[] {
    return filterCoveringFreezes(this.listFreezes(), principals, capability, adapter);
  }

  listFreezes(): Freeze[] {
    return this.#freezes.filter(({ thawed }) => !thawed).map(({ freeze }) => freeze);
  }

  freeze(freeze: Freeze): void {
    if (!this.#freezes.some((known) => known.freeze.id === freeze.id))
      this.#freezes.push({ freeze, thawed: false });
  }

  thaw(id: string): void {
    for (const row of this.#freezes) if (row.freeze.id === id) row.thawed = true;
  }

  activate(version: string): void {
    this.#policy = version;
  }

  grant(grant: Grant): void {
    if (!this.#grants.has(grant.id)) this.#grants.set(grant.id, { grant, revoked: false });
  }

  revoke(id: string): void {
    const row = this.#grants.get(id);
    if (row) row.revoked = true;
  }

  /** Returns the grants in force for this principal and capability, by expiry. */
  listGrants(principal: string, capability: string, now: number): Grant[] {
    return [...this.#grants.values()]
      .filter(({ grant, revoked }) => !revoked && grant.expiresAt > now && grant.countLeft > 0)
      .map(({ grant }) => grant)
      .filter((grant) => grant.capability === capability && (grant.principal ?? principal) === principal)
      .sort((a, b) => a.expiresAt - b.expiresAt || (a.id < b.id ? -1 : 1));
  }

  getSpentToday(principal: string, now: number): number {
    return this.#usedOf(toSpendKey(principal, now));
  }

  #limitsOn({ gate, call, accepts, intends }: GateEntry): readonly Limit[] {
    return gate.limits.filter((limit) =>
      limit.kind === "calls" ? accepts : intends && !this.#holds(call, toLimitPrefix(limit)),
    );
  }

  #holds(call: string, prefix: string): boolean {
    return (this.#reserved.get(call) ?? []).some(({ key }) => key.startsWith(prefix));
  }

  #lasts({ id, amount }: NonNullable<Gate["grant"]>, now: number): boolean {
    const row = this.#grants.get(id);
    if (!row || row.revoked || row.grant.expiresAt <= now || row.grant.countLeft < 1) return false;
    return row.grant.amountLeft === undefined || row.grant.amountLeft >= amount;
  }

  #spend(id: string, count: number, amount: number): void {
    const row = this.#grants.get(id);
    if (!row) return;
    const { countLeft, amountLeft } = row.grant;
    row.grant = {
      ...row.grant,
      countLeft: countLeft - count,
      ...(amountLeft !== undefined && { amountLeft: amountLeft - amount }),
    };
  }

  #usedOf(key: string): number {
    return this.#used.get(key) ?? 0;
  }

  #add(key: string, amount: number): void {
    this.#used.set(key, Math.max(0, this.#usedOf(key) + amount));
  }
}

/** Returns the freezes that cover the call, oldest first. */
export function filterCoveringFreezes(
  freezes: readonly Freeze[],
  principals: readonly (string | undefined)[],
  capability: string,
  adapter = adapterName({ name: capability }),
): Freeze[] {
  const subjects = { capability, adapter };
  const covers = ({ kind, subject }: Freeze) => {
    if (kind === "principal") return principals.includes(subject);
    return adapter !== adminAdapter && (kind === "tenant" || subjects[kind] === subject);
  };
  return freezes.filter(covers).sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
}

function toLimitRejection({ id, kind, windowMs }: Limit, now: number): GateRejection {
  const resets = windowMs > 0 && { resetAt: toWindowStart(now, windowMs) + windowMs };
  return { reason: "limit-reached", limit: id, kind, ...resets };
}

const dayMs = 86_400_000;

function toWindowStart(now: number, windowMs: number): number {
  return windowMs > 0 ? Math.floor(now / windowMs) * windowMs : 0;
}

/**
 * Returns the prefix that the count keys of all windows of a limit share. Ids may contain any character, so JSON keeps
 * them separate.
 */
function toLimitPrefix({ kind, windowMs, key }: Limit): string {
  return JSON.stringify([kind, windowMs, key]);
}

function toCountKey(limit: Limit, now: number): string {
  return `${toLimitPrefix(limit)}${toWindowStart(now, limit.windowMs)}`;
}

function toSpendPrefix(principal: string): string {
  return JSON.stringify(["spent", principal]);
}

function toSpendKey(principal: string, now: number): string {
  return `${toSpendPrefix(principal)}${toWindowStart(now, dayMs)}`;
}
