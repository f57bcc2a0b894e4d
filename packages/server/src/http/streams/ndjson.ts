/** One JSON object per line, as they come. A stream that breaks off says so in its last line, by a code. */
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
