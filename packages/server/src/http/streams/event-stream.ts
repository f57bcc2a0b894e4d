import { type Call, toRecorded } from "@paraph/core";
import type { ProgressView } from "../../services/progress-view.ts";
import { toCloudEvent } from "../views/cloud-event.ts";
import { toProgressDelta } from "../views/progress.ts";

const heartbeatMs = 15_000;
/** The interval between two polls of an attempt's progress. */
const progressPollMs = 500;

/** The call that `createEventStream` follows, and the position from which it reads. */
export interface EventStreamSource {
  /** The number of the last event that the reader has received. */
  readonly after: number;
  readonly signal: AbortSignal;
  /** Returns the call's current state, or undefined when the reader may no longer see it. */
  loadCall(): Promise<Call | undefined>;
  waitForChange(epoch: number, ms: number): Promise<void>;
  /** Returns the progress of the call's current attempt, and the call's epoch at that time. */
  readProgress(): Promise<{ readonly epoch: number; readonly progress: ProgressView | null } | undefined>;
  /** Whether the reader may see only the fraction of the progress and no detail. */
  readonly isHidden: boolean;
  onError(error: unknown): void;
}

/** Streams a call's events as server-sent events: the existing ones, then each new one, up to the closing event. */
export function createEventStream(following: EventStreamSource): ReadableStream<Uint8Array> {
  return toByteStream(followEvents(following), following.onError);
}

/**
 * Streams texts as bytes. On an error the stream ends without an error message, because the reader would receive the
 * message as part of the text. The reader then reconnects.
 */
export function toByteStream(
  texts: AsyncIterable<string>,
  failed: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder();
  const source = (async function* () {
    try {
      for await (const text of texts) yield bytes.encode(text);
    } catch (error) {
      failed(error);
    }
  })();
  return ReadableStream.from(source);
}

async function* followEvents(following: EventStreamSource): AsyncGenerator<string> {
  const { after, signal, loadCall, waitForChange } = following;
  let sent = after;
  const progress = new ProgressEvents(following);
  for (;;) {
    const call = await loadCall();
    if (!call) return;
    const news = toRecorded(call.events).filter(({ seq }) => seq > sent);
    for (const event of news) {
      const said = toCloudEvent(call, event);
      yield `id: ${event.seq}\nevent: ${said.type}\ndata: ${JSON.stringify(said)}\n\n`;
      sent = event.seq;
    }
    if (call.state === "closed" || signal.aborted) return;
    if (news.length === 0) yield ": still here\n\n";
    if (call.state === "performing") yield* progress.streamUntil(call.epoch);
    else await waitForChange(call.epoch, heartbeatMs);
    if (signal.aborted) return;
  }
}

/**
 * The progress events of a stream. They are not recorded and have no number, so a reconnecting reader resumes after the
 * last recorded event.
 */
class ProgressEvents {
  readonly #following: EventStreamSource;
  #told: ProgressView | undefined;

  constructor(following: EventStreamSource) {
    this.#following = following;
  }

  /** Streams progress until the call's epoch exceeds the given one, or until the next heartbeat. */
  async *streamUntil(epoch: number): AsyncGenerator<string> {
    const { signal, readProgress, waitForChange, isHidden } = this.#following;
    for (const end = performance.now() + heartbeatMs; performance.now() < end && !signal.aborted; ) {
      const now = await readProgress();
      if (!now || now.epoch > epoch) return;
      const said = now.progress && toProgressDelta(now.progress, this.#told, isHidden);
      if (said) yield `event: progress\ndata: ${JSON.stringify(said)}\n\n`;
      this.#told = now.progress ?? this.#told;
      await waitForChange(epoch, progressPollMs);
    }
  }
}
