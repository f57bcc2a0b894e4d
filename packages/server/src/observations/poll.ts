import {
  CapabilityError,
  type ObservationPage,
  type ObserveContext,
  type OpenAdapter,
  ParaphError,
} from "@paraph/core";
import type { PollSchedule } from "./poll-config.ts";
import type { ClaimedPoll, PollStore } from "./poll-store.ts";
import { validatePage } from "./validate.ts";

export interface PollDeps {
  readonly pollStore: PollStore;
  readonly listObservable: () => ReadonlyMap<string, Required<Pick<OpenAdapter, "observe">>>;
  readonly credential: (tenant: string, name: string) => Promise<string>;
  /** [P10] Logs the adapter, the tenant and the error code of a failed poll, never the content. */
  readonly log: (code: string, about: { tenant: string; adapter: string; cause: string }) => void;
}

/**
 * Polls one adapter for one tenant and writes the result under the claim. Returns true if more observations are
 * available now.
 */
export async function pollAdapter(
  claimed: ClaimedPoll,
  watched: PollSchedule,
  stopping: AbortSignal,
  parts: PollDeps,
): Promise<boolean> {
  const { pollStore, log } = parts;
  const here = await pollStore.at(claimed);
  if (!here) return false;
  const { everyMs, keepMs, patienceMs } = watched;
  let page: ObservationPage;
  let kept: ReturnType<typeof validatePage>;
  try {
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(patienceMs)]);
    page = await observeWithTimeout(claimed, here.cursor ?? undefined, signal, parts);
    kept = validatePage(page);
  } catch (error) {
    // Records no failure if this process is stopping. The next poller repeats the interrupted poll once the claim has
    // expired.
    if (stopping.aborted) return false;
    const { tenant, adapter } = claimed;
    const cause = readErrorCode(error);
    log("poll-failed", { tenant, adapter, cause });
    await pollStore.failed(claimed, computeBackoff(here.failures, everyMs), cause);
    return false;
  }
  const more = page.more === true;
  const written = await pollStore.commit(claimed, kept, { waitMs: more ? 0 : everyMs, keepMs });
  return more && written !== undefined;
}

/**
 * Polls the adapter until the signal aborts. An adapter that ignores the signal is abandoned, and its late result is
 * discarded.
 */
async function observeWithTimeout(
  { tenant, adapter }: ClaimedPoll,
  cursor: string | undefined,
  signal: AbortSignal,
  { listObservable, credential }: PollDeps,
): Promise<ObservationPage> {
  const open = listObservable().get(adapter);
  if (!open)
    throw new CapabilityError(
      "not-performed",
      "adapter-unavailable",
      `\`${adapter}\` is unavailable. Paraph polls it again later.`,
    );
  const context: ObserveContext = { tenant, signal, credential: (name) => credential(tenant, name) };
  const late = new Promise<never>((_, reject) => {
    const tooSlow = new ParaphError("adapter-slow", `\`${adapter}\` did not answer the poll in time.`);
    signal.addEventListener("abort", () => reject(tooSlow), { once: true });
  });
  return Promise.race([open.observe(cursor, context), late]);
}

const maxWaitMs = 3_600_000;

/**
 * Computes the wait after a failed poll. The wait doubles with each failure, up to an hour or the poll interval,
 * whichever is longer.
 */
function computeBackoff(failures: number, everyMs: number): number {
  return Math.max(everyMs, Math.min(everyMs * 2 ** Math.min(failures, 20), maxWaitMs));
}

/** [P10] Returns the code of Paraph's own errors, and a fixed code for all others, so that no content leaks. */
function readErrorCode(error: unknown): string {
  const isOurs = error instanceof ParaphError || error instanceof CapabilityError;
  return isOurs && /^[a-z][a-z0-9-]{0,62}$/.test(error.code) ? error.code : "adapter-fault";
}
