import type { Call } from "@paraph/core";
import { cloudEvent } from "./cloud-event.ts";

const heartbeatMs = 15_000;

export interface Following {
  /** Events up to this one are known to the reader. */
  readonly after: number;
  readonly signal: AbortSignal;
  /** The call as it stands, or undefined once the reader may not see it any more. */
  look(): Promise<Call | undefined>;
  changed(epoch: number, ms: number): Promise<void>;
  failed(error: unknown): void;
}

/** A call's events as server-sent events: those that are there, then each as it comes, to the closing one. */
export function eventStream(following: Following): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder();
  const source = (async function* () {
    try {
      for await (const text of follow(following)) yield bytes.encode(text);
    } catch (error) {
      // An error in the stream would be written into it as text: it ends, and the reader comes back.
      following.failed(error);
    }
  })();
  return ReadableStream.from(source);
}

async function* follow({ after, signal, look, changed }: Following): AsyncGenerator<string> {
  let sent = after;
  for (;;) {
    const call = await look();
    if (!call) return;
    const news = call.events.filter(({ seq }) => seq > sent);
    for (const event of news) {
      const said = cloudEvent(call, event);
      yield `id: ${event.seq}\nevent: ${said.type}\ndata: ${JSON.stringify(said)}\n\n`;
      sent = event.seq;
    }
    if (call.state === "closed" || signal.aborted) return;
    if (news.length === 0) yield ": still here\n\n";
    await changed(call.epoch, heartbeatMs);
    if (signal.aborted) return;
  }
}
