/**
 * Splits a text into lines at `\n` only. Payloads may contain other characters that end a line, such as U+2028, at which
 * Node's `readline` splits too.
 */
export async function* splitLines(text: AsyncIterable<string>): AsyncGenerator<string> {
  let line = "";
  for await (const part of text) {
    let start = 0;
    for (let end = part.indexOf("\n"); end >= 0; end = part.indexOf("\n", start)) {
      yield line + part.slice(start, end);
      line = "";
      start = end + 1;
    }
    line += part.slice(start);
  }
  if (line !== "") yield line;
}
