import { createInterface } from "node:readline/promises";
import { interruptedError } from "../cli-error.ts";
import type { Interrupt } from "./interrupt.ts";

/**
 * Asks on standard error, so that standard output contains only data. The end of the input counts as an empty answer.
 */
export async function askQuestion(text: string, interrupt: Interrupt): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  lines.on("SIGINT", interrupt.interrupt);
  const newLine = () => process.stderr.write("\n");
  const { promise, resolve } = Promise.withResolvers<string>();
  const atEnd = () => {
    newLine();
    resolve("");
  };
  lines.once("close", atEnd);
  try {
    const answer = await Promise.race([lines.question(text, { signal: interrupt.signal }), promise]);
    lines.off("close", atEnd);
    return answer;
  } catch (error) {
    lines.off("close", atEnd);
    newLine();
    throw interrupt.signal.aborted ? interruptedError() : error;
  } finally {
    lines.close();
  }
}
