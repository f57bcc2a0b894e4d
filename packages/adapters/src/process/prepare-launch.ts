import { isAbsolute } from "node:path";
import type { ProcessCommand } from "./command.ts";
import { toProcessEnvironment } from "./environment.ts";
import { type Launch, refuseLaunch } from "./launch.ts";
import { applyDefaultLimits, applyLimits } from "./limits.ts";
import { applySandbox } from "./sandbox/sandbox.ts";
import { findProgram } from "./search-path.ts";

/**
 * Builds the launch of a command. If this machine cannot provide a requested limit or sandbox, the function refuses the
 * launch. It never omits a requested limit or sandbox.
 */
export async function prepareLaunch(command: ProcessCommand): Promise<Launch> {
  const { binary, args, cwd, limits, sandbox } = command;
  const env = toProcessEnvironment(command);
  const fault = findCommandFault(command, env);
  if (fault !== undefined) return refuseLaunch(fault);
  // With a sandbox, Paraph does not look up an absolute path, because the caller must not learn whether a file outside
  // the sandbox exists.
  const file = sandbox && isAbsolute(binary) ? binary : await findProgram(binary);
  if (file === undefined) {
    return refuseLaunch(`The program \`${binary}\` was not found. Install it, or use its full path.`);
  }
  // The program's own limits apply inside the sandbox, so that they do not affect the program that builds the sandbox.
  const launch = await applySandbox(
    sandbox,
    await applyLimits(limits, { kind: "ready", file, args, cwd, env }),
  );
  return applyDefaultLimits(limits, launch);
}

/**
 * Returns the fault of an invalid command. It rejects a NUL, because the system treats a NUL as the end of a text and
 * would lose or misread the rest.
 */
function findCommandFault(
  { binary, args, cwd, sandbox = {} }: ProcessCommand,
  env: Record<string, string>,
): string | undefined {
  const { read = [], write = [], home = "" } = sandbox;
  const texts = [binary, cwd, home, ...args, ...read, ...write, ...Object.entries(env).flat()];
  if (texts.some((text) => text.includes("\0"))) return "The command contains a NUL character. Remove it.";
  if (Object.keys(env).some((name) => name === "" || name.includes("=")))
    return "The name of an environment variable is empty or contains `=`. Correct the name.";
  return undefined;
}
