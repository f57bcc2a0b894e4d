import { createParser, type EventSourceMessage } from "eventsource-parser";
import type { CallEvent, CallProgress } from "./api-views.ts";
import { type ApiConnection, noAnswerProblem } from "./connection.ts";
import { ParaphProblem } from "./paraph-problem.ts";
import { computeBackoffMs, pause } from "./pause.ts";

export interface EventsOptions {
  /** Events up to this number are known already. */
  readonly after?: number;
  /** Told how far an attempt is while it lasts. Some of it may be lost; it is no part of the record. */
  readonly progress?: (said: CallProgress) => void;
  readonly signal?: AbortSignal;
}

/** A call's events, those that are there and each as it comes, to the last. Comes back by itself after an interruption. */
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
      for await (const { id, event, data: written } of readMessages(connection, response, signal)) {
        const data: unknown = JSON.parse(written);
        const number = Number(id ?? Number.NaN);
        // What has no number is not an event of the call's: how far it is, or what a later version tells.
        if (event === "progress") progress?.(data as CallProgress);
        if (!(number > seen)) continue;
        seen = number;
        attempt = 0;
        yield data as CallEvent;
      }
    } catch (error) {
      if (!(error instanceof ParaphProblem && error.isTransient)) throw error;
    }
    // The stream of a closed call ends with it: the next answer says that there is no more.
    if (attempt > 0) await pause(computeBackoffMs(attempt - 1), signal);
  }
}

async function* readMessages(connection: ApiConnection, response: Response, signal: AbortSignal | undefined) {
  try {
    yield* parseMessages(response.body);
  } catch (cause) {
    signal?.throwIfAborted();
    throw noAnswerProblem(connection.url, cause);
  }
}

/** The longest event that is collected. A server that sends more without an end is cut off. */
const maxBufferSize = 64 * 1024 * 1024;

/** Reads server-sent events. An event that was cut off is dropped. */
async function* parseMessages(body: Response["body"]): AsyncGenerator<EventSourceMessage> {
  const complete: EventSourceMessage[] = [];
  const parser = createParser({ maxBufferSize, onEvent: (message) => void complete.push(message) });
  const decoder = new TextDecoder();
  for await (const piece of body ?? []) {
    parser.feed(decoder.decode(piece, { stream: true }));
    yield* complete.splice(0);
  }
}
