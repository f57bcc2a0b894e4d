import { randomUUID } from "node:crypto";
import {
  type Call,
  type CallRef,
  type Child,
  type CommitResult,
  canonical,
  envelopeText,
  type FencedTransition,
  type GateRejection,
  type Grant,
  type LockResult,
  type NewCall,
  type NewResolution,
  type NewStatement,
  type OpenResult,
  type Principal,
  type Store,
  type Usage,
} from "@paraph/core";
import type { Pool, QueryConfig } from "pg";
import { toGrants } from "../approvals/grants.ts";
import { GroupCommit } from "../group-commit.ts";
import { retryDeadlock } from "../unavailable.ts";
import { type GateClaim, isGated, mergeGateClaims, toGateClaim, toGateRow, toPlaceRow } from "./gate.ts";
import { type ChildRow, toCall, toChild } from "./loaded-call.ts";
import { type IntentWrite, writeIntent } from "./write-intent.ts";

/**
 * The core's `Store` on PostgreSQL. Every method is one statement that calls one function in one transaction.
 * Concurrent openings may share a statement, and so may concurrent transitions.
 */
export class PostgresStore implements Store {
  readonly #app: Pool;
  readonly #life: { readonly number: number };
  readonly #openings = new GroupCommit<WriteRow, OpenRow>((rows) => this.#batch("open", rows), readTenant);
  readonly #moves = new GroupCommit<WriteRow, CommitRow>((rows) => this.#batch("commit", rows), readTenant);

  /** `life` is the lease of this process. If the lease cannot change, its number alone is enough. */
  constructor(app: Pool, life: number | { readonly number: number }) {
    this.#app = app;
    this.#life = typeof life === "number" ? { number: life } : life;
  }

  async load({ tenant, call }: CallRef): Promise<Call | undefined> {
    return toCall(await this.#one("select paraph.load($1, $2) as it", [tenant, call]));
  }

  async begin({ tenant, call }: CallRef): Promise<Call | undefined> {
    return toCall(
      await this.#one("select paraph.begin($1, $2, $3) as it", [tenant, this.#life.number, call]),
    );
  }

  async findByKey(principal: Principal, key: string): Promise<Call | undefined> {
    return toCall(
      await this.#one("select paraph.load_by_key($1, $2, $3) as it", [principal.tenant, principal.id, key]),
    );
  }

  async findByApproval(tenant: string, approval: string): Promise<Call | undefined> {
    return toCall(await this.#one("select paraph.load_by_approval($1, $2) as it", [tenant, approval]));
  }

  async open(newCall: NewCall): ReturnType<Store["open"]> {
    const { principal, key } = newCall;
    const row = toOpeningRow(newCall);
    // An opening of a step, an undelivered call or an undo touches rows of other calls. In batches, such openings could
    // deadlock, so each of them runs alone.
    const touchesOthers =
      newCall.parentEpoch !== undefined ||
      (newCall.undelivered && newCall.state !== "closed") ||
      newCall.events.some(({ kind, data }) => kind === "accepted" && data.undoes !== undefined);
    const write = async () =>
      touchesOthers ? (await this.#batch<OpenRow>("open", [row]))[0]! : await this.#openings.submit(row);
    const result = await this.#write<OpenRow>(row, write, { kind: "opened" });
    if (result.kind === "duplicate") return this.#joinDuplicate(principal.tenant, result.call);
    if (result.kind !== "exists") return result;
    const call = await this.findByKey(principal, key);
    if (!call) throw new Error("a call with this id exists under another key");
    return { kind: "exists", call };
  }

  async #joinDuplicate(tenant: string, id: string): Promise<OpenResult> {
    const call = await this.load({ tenant, call: id });
    if (!call) throw new Error("the existing call of a duplicate request was not found");
    return { kind: "duplicate", call };
  }

  async commit(transition: FencedTransition): ReturnType<Store["commit"]> {
    const row = toTransitionRow(transition);
    // A transition that frees locks touches rows of other calls. In batches, such transitions could deadlock, so each
    // of them runs alone.
    const write = async () =>
      transition.unlock ? (await this.#batch<CommitRow>("commit", [row]))[0]! : await this.#moves.submit(row);
    const own: CommitRow = { kind: "done", epoch: transition.epoch + 1, wake: [] };
    return toCommitResult(row.tenant, await this.#write(row, write, own));
  }

  async supersede(ending: FencedTransition, successor: NewCall): ReturnType<Store["supersede"]> {
    const rows = [toTransitionRow(ending), toOpeningRow(successor)];
    const { tenant } = ending;
    const result = await this.#one<CommitRow>("select paraph.supersede($1, $2, $3, $4, $5, $6) as it", [
      ...[tenant, this.#life.number, ...rows.map(({ text }) => text)],
      ...[rows.some(({ gated }) => gated) ? [tenant] : [], JSON.stringify(mergeGateClaims(rows))],
    ]);
    return toCommitResult(tenant, result);
  }

  async resolve(found: NewResolution): ReturnType<Store["resolve"]> {
    const { tenant, statement, settle, call } = found;
    const document = { ...found, ...toStoredWrites(found), statement: toStatementRow(statement) };
    const claim = toGateClaim("commit", { call, settle, state: "closed" });
    const result = await this.#one<CommitRow>("select paraph.resolve($1, $2, $3) as it", [
      ...[tenant, JSON.stringify(document), JSON.stringify(mergeGateClaims([{ tenant, claim }]))],
    ]);
    return toCommitResult(tenant, result);
  }

  async lock(taking: Parameters<Store["lock"]>[0]): Promise<LockResult> {
    return this.#one("select paraph.lock($1, $2) as it", [taking.tenant, JSON.stringify(taking)]);
  }

  async children({ tenant, call }: CallRef): Promise<Child[]> {
    const rows = await this.#one<ChildRow[]>("select paraph.children($1, $2) as it", [tenant, call]);
    return rows.map(toChild);
  }

  async hasOtherPerson(tenant: string, except: readonly string[]): Promise<boolean> {
    return this.#one("select paraph.has_other_person($1, $2) as it", [tenant, except]);
  }

  async grants({ tenant, id }: Principal, capability: string): Promise<Grant[]> {
    return toGrants(await this.#one("select paraph.list_grants($1, $2, $3) as it", [tenant, id, capability]));
  }

  async usage({ tenant, id }: Principal): Promise<Usage> {
    return this.#one("select paraph.usage_of($1, $2) as it", [tenant, id]);
  }

  async countDenials({ tenant, id }: Principal, atMost: number): Promise<number> {
    return this.#one("select paraph.count_denials($1, $2, $3) as it", [tenant, id, atMost]);
  }

  async findDuplicate(
    { tenant, id }: Principal,
    session: string,
    requestDigest: string,
  ): Promise<Call | undefined> {
    const values = [tenant, id, session, requestDigest];
    return toCall(await this.#one("select paraph.load_duplicate($1, $2, $3, $4) as it", values));
  }

  async markDelivered(tenant: string, calls: readonly string[]): Promise<void> {
    await this.#one("select paraph.mark_delivered($1, $2) as it", [tenant, calls]);
  }

  async delegationsTo(tenant: string, person: string): ReturnType<Store["delegationsTo"]> {
    return this.#one("select paraph.delegators_of($1, $2) as it", [tenant, person]);
  }

  /** Writes a row. `own` is the result if the row has an intent that was written although the answer got lost. */
  async #write<R extends { readonly kind: string }>(
    { tenant, intent }: WriteRow,
    write: () => Promise<R>,
    own: R,
  ): Promise<R> {
    if (!intent) return write();
    const values = [tenant, intent.call, intent.epoch, intent.token];
    return writeIntent(intent, write, async () =>
      (await this.#one<boolean>("select paraph.has_intent($1, $2, $3, $4) as it", values)) ? own : undefined,
    );
  }

  /** Writes the rows of every batch in the same order, so that two batches never wait for each other. */
  async #batch<R>(verb: "open" | "commit", rows: readonly WriteRow[]): Promise<R[]> {
    const order = [...rows.keys()].sort((a, b) => (rows[a]!.order < rows[b]!.order ? -1 : 1));
    const sorted = order.map((index) => rows[index]!);
    const claims = mergeGateClaims(sorted);
    // Rows of one call, and rows that claim limits or grants, depend on the rows before them.
    const isDependent = claims.length > 0 || new Set(sorted.map((row) => row.order)).size < sorted.length;
    const query = {
      name: isDependent ? `batch-${verb}-one-by-one` : `batch-${verb}`,
      text: isDependent ? buildOneByOneSql(verb) : buildBatchSql(verb),
      values: [
        this.#life.number,
        sorted.map(({ tenant }) => tenant),
        sorted.map(({ text }) => text),
        [...new Set(sorted.filter(({ gated }) => gated).map(({ tenant }) => tenant))],
        JSON.stringify(claims),
      ],
    };
    const answers = await retryDeadlock(() => this.#send<R>(rows, query));
    const results: R[] = [];
    for (const [position, index] of order.entries()) results[index] = answers[position]!.it;
    return results;
  }

  /** Sends a statement that writes the rows, and marks their intents as sent once there is a connection. */
  async #send<R>(rows: readonly WriteRow[], query: QueryConfig): Promise<readonly { readonly it: R }[]> {
    const client = await this.#app.connect();
    for (const { intent } of rows) if (intent) intent.sent = true;
    let failure: Error | undefined;
    try {
      return (await client.query(query)).rows;
    } catch (error) {
      failure = error as Error;
      throw error;
    } finally {
      client.release(failure);
    }
  }

  /** Runs one statement. Its text is also its name, so that PostgreSQL prepares it once per connection. */
  async #one<T = unknown>(text: string, values: unknown[]): Promise<T> {
    const { rows } = await retryDeadlock(() => this.#app.query({ name: text, text, values }));
    return rows[0].it;
  }
}

/** Builds the statement for a batch whose rows do not depend on each other. All rows have the same tenant. */
function buildBatchSql(verb: string): string {
  return `select unnest(paraph.${verb}_set(($2::text[])[1], $1, $3, e.at, e.here->($2::text[])[1])) as it from paraph.enter($4, $5) e`;
}

function buildOneByOneSql(verb: string): string {
  return `select paraph.${verb}_all($1, $2, $3, $4, $5) as it`;
}

interface WriteRow {
  readonly tenant: string;
  /** The sort key that prevents deadlocks. Every batch locks its rows in this order. */
  readonly order: string;
  readonly text: string;
  readonly gated: boolean;
  readonly claim: GateClaim | undefined;
  readonly intent: IntentWrite | undefined;
}

/**
 * Returns the tenant of a row. Batches are grouped by tenant, so a freeze or a thaw delays only the batches of its own
 * tenant.
 */
function readTenant({ tenant }: WriteRow): string {
  return tenant;
}

type StoppedRow = { kind: "stopped"; stop: GateRejection };

type OpenRow =
  | { kind: "opened" }
  | { kind: "exists" }
  | { kind: "duplicate"; call: string }
  | { kind: "lost" }
  | StoppedRow;

type CommitRow =
  | { kind: "done"; epoch: number; wake: { call: string; epoch: number }[] }
  | { kind: "lost" }
  | { kind: "untimely" }
  | StoppedRow;

function toOpeningRow(newCall: NewCall): WriteRow {
  const { tenant, principal, session, key, ...rest } = newCall;
  const { id, onBehalfOf } = principal;
  const token = randomUUID();
  return {
    tenant,
    order: `${tenant}/${id}/${key}`,
    text: JSON.stringify({
      ...rest,
      ...session,
      key,
      principal: id,
      onBehalfOf,
      ...toStoredWrites(newCall, token),
    }),
    gated: isGated(newCall),
    claim: toGateClaim("open", newCall),
    intent: newCall.intent && { call: newCall.call, epoch: 1, token, sent: false },
  };
}

function toTransitionRow(transition: FencedTransition): WriteRow {
  const { tenant, call, epoch } = transition;
  const token = randomUUID();
  return {
    tenant,
    order: `${tenant}/${call}`,
    text: JSON.stringify({
      ...transition,
      ...toStoredWrites(transition, token),
      // [P5] Tells `paraph.commit` that the digest was compared with the headline. Earlier versions cannot do that.
      ...(transition.outcome?.code === "approval-mismatch" && { knowsHeadlines: true }),
      ...(transition.waitFor && { waitFor: toPlaceRow(transition.waitFor) }),
    }),
    gated: isGated(transition),
    claim: toGateClaim("commit", transition),
    intent: transition.intent && { call, epoch: epoch + 1, token, sent: false },
  };
}

function toCommitResult(tenant: string, result: CommitRow): CommitResult {
  if (result.kind !== "done") return result;
  return { ...result, wake: result.wake.map((woken) => ({ tenant, ...woken })) };
}

/** Turns payloads into canonical text, so that the stored text is the text that was digested. */
function toStoredWrites(
  { payloads, receipt, gate, intent }: Pick<FencedTransition, "payloads" | "receipt" | "gate" | "intent">,
  token?: string,
) {
  return {
    payloads: (payloads ?? []).map(({ name, salt, value }) => ({ name, salt, body: canonical(value) })),
    ...(receipt && { receipt }),
    ...(gate && { gate: toGateRow(gate) }),
    ...(intent && { intent: { ...intent, token } }),
  };
}

function toStatementRow({ digest, envelope }: NewStatement) {
  return { digest, envelope: envelopeText(envelope) };
}
