import {
  type Call,
  type CallRef,
  canonical,
  type Json,
  type Locked,
  type Opening,
  type Principal,
  type Store,
  type Transition,
} from "@paraph/core";
import type { Pool } from "pg";

/** Core's store on PostgreSQL: every method is one statement, one function, one transaction, one round trip. */
export class PostgresStore implements Store {
  readonly #app: Pool;
  readonly #life: number;

  constructor(app: Pool, life: number) {
    this.#app = app;
    this.#life = life;
  }

  async load({ tenant, call }: CallRef): Promise<Call | undefined> {
    return callFrom(await this.#one("select paraph.load($1, $2) as it", [tenant, call]));
  }

  async findByKey(principal: Principal, key: string): Promise<Call | undefined> {
    return callFrom(
      await this.#one("select paraph.load_by_key($1, $2, $3) as it", [principal.tenant, principal.id, key]),
    );
  }

  async findByApproval(tenant: string, approval: string): Promise<Call | undefined> {
    return callFrom(await this.#one("select paraph.load_by_approval($1, $2) as it", [tenant, approval]));
  }

  async open(opening: Opening): ReturnType<Store["open"]> {
    const { principal, session, ...rest } = opening;
    const row = { ...rest, ...session, principal: principal.id, ...written(opening) };
    if (await this.#one("select paraph.open($1, $2) as it", [opening.tenant, JSON.stringify(row)]))
      return { kind: "opened" };
    const call = await this.findByKey(principal, opening.key);
    if (!call) throw new Error("a call with this id exists under another key");
    return { kind: "exists", call };
  }

  async commit(transition: Transition): ReturnType<Store["commit"]> {
    const row = { ...transition, ...written(transition) };
    const result = await this.#one<
      | { kind: "done"; epoch: number; wake: { call: string; epoch: number }[] }
      | { kind: "lost" }
      | { kind: "untimely" }
    >("select paraph.commit($1, $2, $3) as it", [transition.tenant, this.#life, JSON.stringify(row)]);
    if (result.kind !== "done") return result;
    return { ...result, wake: result.wake.map((woken) => ({ tenant: transition.tenant, ...woken })) };
  }

  async lock(taking: Parameters<Store["lock"]>[0]): Promise<Locked> {
    return this.#one("select paraph.lock($1, $2) as it", [taking.tenant, JSON.stringify(taking)]);
  }

  async hasOtherPerson(tenant: string, except: readonly string[]): Promise<boolean> {
    return this.#one("select paraph.has_other_person($1, $2) as it", [tenant, except]);
  }

  /** Named by its text, so that the server prepares it once per connection. */
  async #one<T = unknown>(text: string, values: unknown[]): Promise<T> {
    const { rows } = await this.#app.query({ name: text, text, values });
    return rows[0].it;
  }
}

/** Payloads as canonical text, the receipt's envelope likewise: what is stored is what was digested. */
function written({ payloads, receipt }: Pick<Transition, "payloads" | "receipt">) {
  return {
    payloads: (payloads ?? []).map(({ name, salt, value }) => ({ name, salt, body: canonical(value) })),
    ...(receipt && {
      receipt: { digest: receipt.digest, envelope: canonical(receipt.envelope as unknown as Json) },
    }),
  };
}

interface LoadedCall extends Omit<Call, "payloads" | "session" | "outcome" | "attempts"> {
  readonly payloads: readonly { name: string; salt: string; body: string }[];
  readonly session: string | null;
  readonly thread: string | null;
  readonly outcome: string | null;
  readonly outcomeCode: string | null;
  readonly attempts: readonly (Call["attempts"][number] & { ended: string | null })[];
}

function callFrom(raw: unknown): Call | undefined {
  if (raw === null || raw === undefined) return undefined;
  const { thread, outcomeCode, ...row } = raw as LoadedCall;
  return {
    ...row,
    principal: withoutNulls(row.principal),
    session: withoutNulls({ session: row.session, thread }) as Call["session"],
    trace: row.trace ?? undefined,
    nextAt: row.nextAt ?? undefined,
    deadline: row.deadline ?? undefined,
    outcome:
      row.outcome === null ? undefined : ({ kind: row.outcome, code: outcomeCode ?? "" } as Call["outcome"]),
    approval: row.approval ?? undefined,
    attempts: row.attempts.map((attempt) => withoutNulls(attempt)),
    payloads: Object.fromEntries(
      row.payloads.map(({ name, salt, body }) => [name, { salt, value: JSON.parse(body) as Json }]),
    ),
  };
}

function withoutNulls<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null)) as T;
}
