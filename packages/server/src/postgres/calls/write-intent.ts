import { isRolledBack, isUnavailable } from "../unavailable.ts";

/** The write of an intent, as this process recognises it later. */
export interface IntentWrite {
  readonly call: string;
  /** The epoch of the call after the write. */
  readonly epoch: number;
  readonly token: string;
  /** Whether the write was sent to PostgreSQL at least once. */
  sent: boolean;
}

/** The time for which a write is repeated. The pipeline keeps the result of an effect for the same time. */
const patienceMs = 5 * 60_000;

/**
 * Writes an intent, and repeats the write if its answer got lost. PostgreSQL may have committed the write, for example
 * just before a failover. Without the repetition, this process would not act on its own intent, and the outcome would
 * be unknown although no process died. `findOwn` returns the result of the earlier write, if it was committed and the
 * call has not changed since.
 */
export async function writeIntent<R extends { readonly kind: string }>(
  intent: IntentWrite,
  write: () => Promise<R>,
  findOwn: () => Promise<R | undefined>,
): Promise<R> {
  const started = performance.now();
  let repeats = false;
  for (let pause = 20; ; pause = Math.min(pause * 2, 500)) {
    try {
      const result = await write();
      const isTaken = result.kind === "exists" || result.kind === "lost";
      return (repeats && isTaken && (await findOwn())) || result;
    } catch (error) {
      repeats ||= intent.sent && !isRolledBack(error);
      if (!repeats || !isUnavailable(error) || performance.now() - started > patienceMs) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
