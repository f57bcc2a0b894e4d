import type { CallRef } from "@paraph/core";
import type { Pool } from "pg";

/** What is kept of an attempt's progress: its last words, and the end of what it put out. */
interface ProgressUpdate {
  readonly attempt: number;
  readonly message?: string | undefined;
  readonly fraction?: number | undefined;
  readonly output: string;
  /** How much was put out so far, `output` included. */
  readonly putOut: number;
}

interface ProgressRow {
  readonly attempt: number;
  readonly revision: number;
  readonly message: string | null;
  readonly fraction: number | null;
  readonly output: string;
  readonly putOut: number;
}

/** How far the attempts of calls are: one row per call, which goes with the call's end. */
export function createProgressStore(app: Pool) {
  return {
    async write({ tenant, call }: CallRef, said: ProgressUpdate): Promise<void> {
      const { attempt, message = null, fraction = null, output, putOut } = said;
      await app.query({
        name: "progress-said",
        text: "select paraph.progress_said($1, $2, $3, $4, $5, $6, $7)",
        values: [tenant, call, attempt, message, fraction, output, putOut],
      });
    },
    /** With the epoch of the call at that moment; undefined: there is no such call. */
    async read({ tenant, call }: CallRef): Promise<{ epoch: number; said: ProgressRow | null } | undefined> {
      const text = "select paraph.progress_of($1, $2) as it";
      return (await app.query({ name: "progress-of", text, values: [tenant, call] })).rows[0].it ?? undefined;
    },
  };
}
