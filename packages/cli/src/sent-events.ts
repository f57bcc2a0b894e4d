/** `id`: where to resume; an event without one is no part of the record. */
export interface SentEvent {
  readonly id?: string;
  readonly event: string;
  readonly data: unknown;
}

/** Server-sent events as the API writes them: each field on one line, a comment now and then to say that it is there. */
export async function* eventsIn(text: AsyncIterable<string> | Iterable<string>): AsyncGenerator<SentEvent> {
  let rest = "";
  for await (const piece of text) {
    const parts = (rest + piece).split("\n\n");
    rest = parts.pop() ?? "";
    for (const part of parts) {
      const { id, event = "message", data } = fieldsOf(part);
      if (data !== undefined) yield { ...(id !== undefined && { id }), event, data: JSON.parse(data) };
    }
  }
}

function fieldsOf(part: string): Partial<Record<string, string>> {
  const fields = part.split("\n").map((line) => /^([a-z]+): ?(.*)$/.exec(line));
  return Object.fromEntries(fields.flatMap((match) => (match ? [[match[1], match[2]]] : [])));
}
