import { type Capability, defineCapability } from "@paraph/core";
import { z } from "zod";
import { runProcess, toProcessFault } from "../../process/index.ts";
import type { TerminalContext } from "../context.ts";
import { omitSecrets } from "../environment.ts";
import { createProgressReporter } from "../progress.ts";
import { endedOutput, toWholeTimeout } from "./run.ts";
import { hasEnded, toRunResult } from "./run-apply.ts";
import { runInput, toProcessCommand } from "./run-input.ts";

/**
 * Creates the capability that runs a program with read-only access to the workspace, and without network and secrets.
 */
export function createLookCapability(terminalContext: TerminalContext): Capability {
  return defineCapability({
    name: `${terminalContext.name}.look`,
    version: 1,
    summary: "Run a program that only reads the workspace",
    effect: "read",
    risk: "medium",
    idempotency: "natural",
    input: runInput,
    output: z.object(endedOutput),
    timeout: toWholeTimeout(terminalContext),
    apply: async (input, context) => {
      const told = createProgressReporter(context);
      const ran = await runProcess({
        ...toProcessCommand(terminalContext, input, context),
        env: omitSecrets(terminalContext.env),
        sandbox: { read: [terminalContext.workspace, ...terminalContext.read] },
        onOutput: told.tell,
      });
      told.end();
      if (!hasEnded(ran)) throw toProcessFault(ran, "The program");
      return toRunResult(ran);
    },
  });
}
