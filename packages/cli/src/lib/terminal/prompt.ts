import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { interruptedError } from "../cli-error.ts";
import type { Interrupt } from "./interrupt.ts";

/**
 * Asks on standard error, so that standard output contains only data. The end of the input (Ctrl-D) cancels the
 * command, as Ctrl-C does. A secret answer is not shown.
 */
export async function askQuestion(
  text: string,
  interrupt: Interrupt,
  { isSecret = false }: { readonly isSecret?: boolean } = {},
): Promise<string> {
  const output = isSecret ? createSilentStream() : process.stderr;
  if (isSecret) process.stderr.write(text);
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  lines.on("SIGINT", interrupt.interrupt);
  const newLine = () => process.stderr.write("\n");
  const { promise, reject } = Promise.withResolvers<never>();
  const atEnd = () => reject(interruptedError());
  lines.once("close", atEnd);
  try {
    const answer = await Promise.race([lines.question(text, { signal: interrupt.signal }), promise]);
    lines.off("close", atEnd);
    if (isSecret) newLine();
    return answer;
  } catch (error) {
    lines.off("close", atEnd);
    newLine();
    throw interrupt.signal.aborted ? interruptedError() : error;
  } finally {
    lines.close();
  }
}

/** Creates a stream that discards what readline echoes. */
function createSilentStream(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}
