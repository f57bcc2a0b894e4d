import type { Context } from "../context.ts";

/** Asks a question that only `y` or `yes` affirms. An empty answer counts as no. */
export async function askYesNo(question: NonNullable<Context["question"]>, text: string): Promise<boolean> {
  return /^y(es)?$/i.test((await question(`${text} [y/N] `)).trim());
}
