import type { CallEvent, CallProgress } from "./api-views.ts";
import { type ApiConnection, noAnswerProblem } from "./connection.ts";
import { ParaphProblem } from "./paraph-problem.ts";
import { computeBackoffMs, pause } from "./pause.ts";
import { parseServerSentEvents } from "./server-sent-events.ts";

/** The options of `events`. */
export interface EventsOptions {
  /** The number of the last event that the caller already has. */
  readonly after?: number;
  /** Receives the progress of a running attempt. Reports may be lost, and they are not part of the audit trail. */
  readonly progress?: (said: CallProgress) => void;
  readonly signal?: AbortSignal;
}

/** Yields the past events of a call, then each new event until the last one. Reconnects after an interruption. */
export async function* followEvents(
  connection: ApiConnection,
  call: string,
  { after = 0, progress, signal }: EventsOptions,
): AsyncGenerator<CallEvent, void, void> {
  let seen = after;
  for (let attempt = 0; ; attempt += 1) {
    try {
      const response = await connection.send(`/v1/calls/${encodeURIComponent(call)}/events`, {
        headers: { accept: "text/event-stream", "last-event-id": String(seen) },
        stream: true,
        signal,
      });
      if (response.status === 204) return;
      for await (const { id, event, data } of readMessages(connection, response, signal)) {
        const number = Number(id ?? Number.NaN);
        // A message without a number is not an event of the call. It is a progress report, or an addition of a later
        // version.
        if (event === "progress") progress?.(data as CallProgress);
        if (!(number > seen)) continue;
        seen = number;
        attempt = 0;
        yield data as CallEvent;
      }
    } catch (error) {
      if (!(error instanceof ParaphProblem && error.isTransient)) throw error;
    }
    // The stream ended because of an interruption or because the call closed. If the call closed, the server answers
    // the next request with 204, which ends this loop.
    if (attempt > 0) await pause(computeBackoffMs(attempt - 1), signal);
  }
}

async function* readMessages(connection: ApiConnection, response: Response, signal: AbortSignal | undefined) {
  try {
    yield* parseServerSentEvents(response.body?.pipeThrough(new TextDecoderStream()) ?? []);
  } catch (cause) {
    signal?.throwIfAborted();
    throw noAnswerProblem(connection.url, cause);
  }
}
