import { type Connection, type FieldDef, Query } from "pg";
import type { Transaction } from "./transaction.ts";

/** What a query answered, as far as it was taken: values as PostgreSQL writes them. */
export interface LimitedResult {
  readonly fields: readonly FieldDef[];
  readonly rows: readonly (readonly (string | null)[])[];
  /** There was more. */
  readonly truncated: boolean;
}

export interface ResultLimits {
  readonly rows: number;
  readonly bytes: number;
}

/**
 * How many rows are asked for at once: what is beyond the bounds is not even sent. Large rows are found out by the first
 * one, since each portion is at most four times the one before.
 */
const maxPortion = 200;
const portionGrowth = 4;

/** Runs a statement and takes no more of its answer than is wanted. */
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

/** Speaks pg's side of the extended protocol, where a portal is read in portions. */
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
    // The server skips everything up to here after an error, and would wait for it.
    connection.sync();
    this.emit("error", error);
  }
}
