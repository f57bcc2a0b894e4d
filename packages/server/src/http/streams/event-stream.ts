import { type Call, toRecorded } from "@paraph/core";
import { toCloudEvent } from "../views/cloud-event.ts";
import { type ProgressView, toProgressDelta } from "../views/progress.ts";

const heartbeatMs = 15_000;
/** How often it is looked how far an attempt is. */
const progressPollMs = 500;

export interface EventStreamSource {
  /** Events up to this one are known to the reader. */
  readonly after: number;
  readonly signal: AbortSignal;
  /** The call as it stands, or undefined once the reader may not see it any more. */
  loadCall(): Promise<Call | undefined>;
  waitForChange(epoch: number, ms: number): Promise<void>;
  /** How far the attempt is that the call is in, and the call's epoch at that moment. */
  readProgress(): Promise<{ readonly epoch: number; readonly said: ProgressView | null } | undefined>;
  /** The reader sees how far it is, and not what is being done. */
  readonly isHidden: boolean;
  onError(error: unknown): void;
}

/** A call's events as server-sent events: those that are there, then each as it comes, to the closing one. */
export function createEventStream(following: EventStreamSource): ReadableStream<Uint8Array> {
  return toByteStream(followEvents(following), following.onError);
}

/** Text as it comes. An error in the stream would be written into it as text: it ends, and the reader comes back. */
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
  const { after, signal, loadCall: look, waitForChange: changed } = following;
  let sent = after;
  const progress = new ProgressEvents(following);
  for (;;) {
    const call = await look();
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
    else await changed(call.epoch, heartbeatMs);
    if (signal.aborted) return;
  }
}

/** How far attempts are: no part of the record, so these events have no number and a reader who comes back resumes before them. */
class ProgressEvents {
  readonly #following: EventStreamSource;
  #told: ProgressView | undefined;

  constructor(following: EventStreamSource) {
    this.#following = following;
  }

  /** Until the call is past this epoch, or a heartbeat is due. */
  async *streamUntil(epoch: number): AsyncGenerator<string> {
    const { signal, readProgress: progress, waitForChange: changed, isHidden: hidden } = this.#following;
    for (const end = performance.now() + heartbeatMs; performance.now() < end && !signal.aborted; ) {
      const now = await progress();
      if (!now || now.epoch > epoch) return;
      const said = now.said && toProgressDelta(now.said, this.#told, hidden);
      if (said) yield `event: progress\ndata: ${JSON.stringify(said)}\n\n`;
      this.#told = now.said ?? this.#told;
      await changed(epoch, progressPollMs);
    }
  }
}
