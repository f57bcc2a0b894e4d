import { CapabilityError, type Progress, toFault } from "@paraph/core";
import type { CommandResult } from "./commands.ts";

export interface CommandValue<V> {
  readonly value: V;
  readonly unfit?: readonly string[];
}

/** Runs a body and returns how it ended. Does not throw. */
export async function recordResult<V>(
  body: (say: (progress: Progress) => void) => Promise<CommandValue<V>>,
): Promise<CommandResult<V>> {
  const said: Progress[] = [];
  const started = performance.now();
  const about = () => ({ said, ms: performance.now() - started });
  try {
    const done = await body((one) => void said.push(one));
    return { kind: "done", ...done, ...about() };
  } catch (error) {
    const code = String((error as { code?: unknown } | undefined)?.code ?? "");
    return {
      kind: "fault",
      fault: toFault(error),
      code,
      own: error instanceof CapabilityError,
      ...about(),
    };
  }
}
