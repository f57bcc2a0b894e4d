import { isAbsolute } from "node:path";
import type { Command } from "./command.ts";
import { environmentOf } from "./environment.ts";
import { type Launch, refused } from "./launch.ts";
import { limited, limitedByDefault } from "./limits.ts";
import { sandboxed } from "./sandbox.ts";
import { programOf } from "./search-path.ts";

/** What to start for a command. What cannot be had as it was asked for is refused, never left out. */
export async function prepare(command: Command): Promise<Launch> {
  const { binary, args, cwd, limits, sandbox } = command;
  const env = environmentOf(command);
  const fault = faultIn(command, env);
  if (fault !== undefined) return refused(fault);
  // What is where the sandbox does not lead is none of the caller's business, not even whether it is there.
  const file = sandbox && isAbsolute(binary) ? binary : await programOf(binary);
  if (file === undefined) {
    return refused(`There is no program \`${binary}\` here: install it, or name it by its whole path.`);
  }
  // Limits of its own inside the sandbox, so that what builds the sandbox is not held to them.
  const launch = await sandboxed(sandbox, await limited(limits, { kind: "ready", file, args, cwd, env }));
  return limitedByDefault(limits, launch);
}

/** A NUL ends a text for the system: what comes after it would be lost, or be taken for something else. */
function faultIn(
  { binary, args, cwd, sandbox = {} }: Command,
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
