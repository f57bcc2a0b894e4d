/** [TRUST 24] The lines of a body as they come, without empty ones; a body that goes on for longer throws. */
export async function* linesOf(
  body: AsyncIterable<Uint8Array>,
  mostBytes: number,
): AsyncGenerator<string, void, undefined> {
  let pending: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > mostBytes) throw new TooLong();
    let from = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, from)) {
      const line = Buffer.concat([...pending, chunk.subarray(from, end)]);
      if (line.length > 0) yield line.toString();
      pending = [];
      from = end + 1;
    }
    if (from < chunk.byteLength) pending.push(chunk.subarray(from));
  }
  if (pending.length > 0) yield Buffer.concat(pending).toString();
}

export class TooLong extends Error {}

const newline = 0x0a;
