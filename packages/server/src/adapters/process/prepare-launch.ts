import { isAbsolute } from "node:path";
import type { ProcessCommand } from "./command.ts";
import { toProcessEnvironment } from "./environment.ts";
import { type Launch, refuseLaunch } from "./launch.ts";
import { applyDefaultLimits, applyLimits } from "./limits.ts";
import { applySandbox } from "./sandbox/sandbox.ts";
import { findProgram } from "./search-path.ts";

/** What to start for a command. What cannot be had as it was asked for is refused, never left out. */
export async function prepareLaunch(command: ProcessCommand): Promise<Launch> {
  const { binary, args, cwd, limits, sandbox } = command;
  const env = toProcessEnvironment(command);
  const fault = findCommandFault(command, env);
  if (fault !== undefined) return refuseLaunch(fault);
  // What is where the sandbox does not lead is none of the caller's business, not even whether it is there.
  const file = sandbox && isAbsolute(binary) ? binary : await findProgram(binary);
  if (file === undefined) {
    return refuseLaunch(`There is no program \`${binary}\` here: install it, or name it by its whole path.`);
  }
  // Limits of its own inside the sandbox, so that what builds the sandbox is not held to them.
  const launch = await applySandbox(
    sandbox,
    await applyLimits(limits, { kind: "ready", file, args, cwd, env }),
  );
  return applyDefaultLimits(limits, launch);
}

/** A NUL ends a text for the system: what comes after it would be lost, or be taken for something else. */
function findCommandFault(
  { binary, args, cwd, sandbox = {} }: ProcessCommand,
  env: Record<string, string>,
): string | undefined {
  const { read = [], write = [], home = "" } = sandbox;
  const texts = [binary, cwd, home, ...args, ...read, ...write, ...Object.entries(env).flat()];
  if (texts.some((text) => text.includes("\0")))
    return "There is a NUL character in the command: send it without.";
  if (Object.keys(env).some((name) => name === "" || name.includes("=")))
    return "The name of an environment variable is empty or has `=` in it.";
  return undefined;
}
