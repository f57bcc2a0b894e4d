/** Streams one JSON object per line. If the stream fails, its last line contains an error code. */
export function toNdjsonStream(
  values: AsyncIterable<unknown>,
  signal: AbortSignal,
  failed: () => void,
): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder();
  const lines = async function* () {
    try {
      for await (const value of values) yield bytes.encode(`${JSON.stringify(value)}\n`);
    } catch {
      if (!signal.aborted) failed();
      yield bytes.encode(
        `${JSON.stringify({ kind: "failed", code: signal.aborted ? "stopped" : "internal" })}\n`,
      );
    }
  };
  return ReadableStream.from(lines());
}
