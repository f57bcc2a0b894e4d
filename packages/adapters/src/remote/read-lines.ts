/** [TRUST 24] Yields the non-empty lines of a body as they arrive. Throws if the body is too long. */
export async function* readLines(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<string, void, undefined> {
  let pending: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > maxBytes) throw new BodyTooLong();
    let from = 0;
    for (let end = chunk.indexOf(newlineByte); end !== -1; end = chunk.indexOf(newlineByte, from)) {
      const line = Buffer.concat([...pending, chunk.subarray(from, end)]);
      if (line.length > 0) yield line.toString();
      pending = [];
      from = end + 1;
    }
    if (from < chunk.byteLength) pending.push(chunk.subarray(from));
  }
  if (pending.length > 0) yield Buffer.concat(pending).toString();
}

export class BodyTooLong extends Error {}

const newlineByte = 0x0a;
