import type { CallRef } from "@paraph/core";
import type { Pool } from "pg";

/** The stored progress of an attempt: its last message and the end of its output. */
interface ProgressUpdate {
  readonly attempt: number;
  readonly message?: string | undefined;
  readonly fraction?: number | undefined;
  readonly output: string;
  /** The total size of the output so far, `output` included. */
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

/** Creates the store for the progress of attempts. It keeps one row per call and deletes it when the call closes. */
export function createProgressStore(app: Pool) {
  return {
    async write({ tenant, call }: CallRef, update: ProgressUpdate): Promise<void> {
      const { attempt, message = null, fraction = null, output, putOut } = update;
      await app.query({
        name: "write-progress",
        text: "select paraph.write_progress($1, $2, $3, $4, $5, $6, $7)",
        values: [tenant, call, attempt, message, fraction, output, putOut],
      });
    },
    /**
     * Returns the progress and the epoch that the call had when the progress was read. Returns undefined if the call
     * does not exist.
     */
    async read({
      tenant,
      call,
    }: CallRef): Promise<{ epoch: number; progress: ProgressRow | null } | undefined> {
      const text = "select paraph.progress_of($1, $2) as it";
      return (await app.query({ name: "progress-of", text, values: [tenant, call] })).rows[0].it ?? undefined;
    },
  };
}
