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
  readonly perceptions: PollStore;
  readonly perceiving: () => ReadonlyMap<string, Required<Pick<OpenAdapter, "observe">>>;
  readonly credential: (tenant: string, name: string) => Promise<string>;
  /** [P10] Whose looking failed and by what code, never what was being looked at. */
  readonly log: (code: string, about: { tenant: string; adapter: string; cause: string }) => void;
}

/** One look of one adapter for one tenant, from its claim to what is written of it. True: there is more right now. */
export async function pollAdapter(
  claimed: ClaimedPoll,
  watched: PollSchedule,
  stopping: AbortSignal,
  parts: PollDeps,
): Promise<boolean> {
  const { perceptions, log } = parts;
  const here = await perceptions.at(claimed);
  if (!here) return false;
  const { everyMs, keepMs, patienceMs } = watched;
  let perceived: ObservationPage;
  let kept: ReturnType<typeof validatePage>;
  try {
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(patienceMs)]);
    perceived = await observeWithTimeout(claimed, here.cursor ?? undefined, signal, parts);
    kept = validatePage(perceived);
  } catch (error) {
    // What was not looked at to the end is looked at again: by who comes next, once the claim has run out.
    if (stopping.aborted) return false;
    const { tenant, adapter } = claimed;
    const cause = readErrorCode(error);
    log("perception-failed", { tenant, adapter, cause });
    await perceptions.failed(claimed, computeBackoff(here.failures, everyMs), cause);
    return false;
  }
  const more = perceived.more === true;
  const written = await perceptions.commit(claimed, kept, { waitMs: more ? 0 : everyMs, keepMs });
  return more && written !== undefined;
}

/** An adapter that heeds no signal is left behind when its time is over: what it says then is heard by nobody. */
async function observeWithTimeout(
  { tenant, adapter }: ClaimedPoll,
  cursor: string | undefined,
  signal: AbortSignal,
  { perceiving, credential }: PollDeps,
): Promise<ObservationPage> {
  const open = perceiving().get(adapter);
  if (!open)
    throw new CapabilityError(
      "not-performed",
      "adapter-away",
      `\`${adapter}\` is away: it looks when it is back.`,
    );
  const context: ObserveContext = { tenant, signal, credential: (name) => credential(tenant, name) };
  const late = new Promise<never>((_, reject) => {
    const tooSlow = new ParaphError("adapter-slow", `\`${adapter}\` took too long to look.`);
    signal.addEventListener("abort", () => reject(tooSlow), { once: true });
  });
  return Promise.race([open.observe(cursor, context), late]);
}

const maxWaitMs = 3_600_000;

/** Twice as long after each failure, an hour at most, or its own time where that is longer. */
function computeBackoff(failures: number, everyMs: number): number {
  return Math.max(everyMs, Math.min(everyMs * 2 ** Math.min(failures, 20), maxWaitMs));
}

/** [P10] What Paraph's own errors are called; of others, nothing is repeated. */
function readErrorCode(error: unknown): string {
  const isOurs = error instanceof ParaphError || error instanceof CapabilityError;
  return isOurs && /^[a-z][a-z0-9-]{0,62}$/.test(error.code) ? error.code : "adapter-fault";
}
