import { createParser, type EventSourceMessage } from "eventsource-parser";

/** `id`: where to resume; an event without one is no part of the record. */
export interface ServerSentEvent {
  readonly id?: string;
  readonly event: string;
  readonly data: unknown;
}

/** The longest event that is collected. A server that sends more without an end is cut off. */
const maxBufferSize = 64 * 1024 * 1024;

/** Reads server-sent events whose data is JSON. An event that was cut off is dropped. */
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
