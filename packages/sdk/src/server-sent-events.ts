import { createParser, type EventSourceMessage } from "eventsource-parser";

/** A server-sent event. `id` is the position to resume from. An event without an id is not part of the audit trail. */
export interface ServerSentEvent {
  readonly id?: string;
  readonly event: string;
  readonly data: unknown;
}

/** The maximum size of an event. The parser rejects larger events, so an endless event cannot exhaust memory. */
const maxBufferSize = 64 * 1024 * 1024;

/** Parses server-sent events whose data is JSON. Drops an incomplete event at the end of the text. */
export async function* parseServerSentEvents(
  text: AsyncIterable<string> | Iterable<string>,
): AsyncGenerator<ServerSentEvent> {
  const complete: EventSourceMessage[] = [];
  const parser = createParser({ maxBufferSize, onEvent: (message) => void complete.push(message) });
  for await (const piece of text) {
    parser.feed(piece);
    for (const { id, event = "message", data } of complete.splice(0))
      yield { ...(id !== undefined && { id }), event, data: JSON.parse(data) };
  }
}
