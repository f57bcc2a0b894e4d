import { type Connection, type FieldDef, Query } from "pg";
import type { Transaction } from "./transaction.ts";

/** The part of a query's result within the limits, with values as the text that PostgreSQL sends. */
export interface LimitedResult {
  readonly fields: readonly FieldDef[];
  readonly rows: readonly (readonly (string | null)[])[];
  /** Whether the query had more rows than the limits allow. */
  readonly truncated: boolean;
}

export interface ResultLimits {
  readonly rows: number;
  readonly bytes: number;
}

/**
 * The maximum number of rows in one portion. The adapter reads in portions, so that PostgreSQL does not send rows
 * beyond the limits. The first portion has one row, which shows whether rows are large. Each next portion is at most
 * four times as large as the previous one.
 */
const maxPortion = 200;
const portionGrowth = 4;

/** Runs a statement and reads no more of its result than the limits allow. */
export async function queryLimited(
  transaction: Transaction,
  { text, values }: { readonly text: string; readonly values: readonly unknown[] },
  bounds: ResultLimits,
): Promise<LimitedResult> {
  const query = new LimitedQuery(text, values, bounds);
  const ended = new Promise<void>((resolve, reject) => {
    query.on("end", () => resolve());
    query.on("error", reject);
  });
  transaction.submit(query);
  await ended;
  return query.result;
}

/** A query of the driver that uses PostgreSQL's extended protocol to read a portal in portions. */
class LimitedQuery extends Query {
  readonly #bounds: ResultLimits;
  readonly #rows: (string | null)[][] = [];
  #fields: readonly FieldDef[] = [];
  #bytes = 0;
  #truncated = false;
  #portion = 1;

  constructor(text: string, values: readonly unknown[], bounds: ResultLimits) {
    super({ text, values: [...values], rows: 1 } as never);
    this.#bounds = bounds;
  }

  get result(): LimitedResult {
    return { fields: this.#fields, rows: this.#rows, truncated: this.#truncated };
  }

  handleRowDescription(message: { fields: readonly FieldDef[] }): void {
    this.#fields = message.fields;
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    if (this.#truncated) return;
    this.#bytes += fields.reduce(
      (sum, field) => sum + (field === null ? 4 : Buffer.byteLength(field) + 2),
      0,
    );
    if (this.#rows.length < this.#bounds.rows && this.#bytes <= this.#bounds.bytes) this.#rows.push(fields);
    else this.#truncated = true;
  }

  handlePortalSuspended(connection: Connection): void {
    if (this.#truncated) connection.sync();
    else {
      this.#portion = Math.min(this.#portion * portionGrowth, maxPortion);
      connection.execute({ portal: "", rows: this.#portion } as never, true);
      connection.flush();
    }
  }

  handleError(error: Error, connection: Connection): void {
    // After an error, the server skips every message until it receives a sync. Without a sync, the server would wait
    // for one.
    connection.sync();
    this.emit("error", error);
  }
}
