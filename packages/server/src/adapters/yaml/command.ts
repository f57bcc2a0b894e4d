import { resolve } from "node:path";
import { CapabilityError, type ExecutionContext } from "@paraph/core";
import type { Command, Sandbox } from "../process/index.ts";
import { type Arguments, filledArguments } from "./arguments.ts";
import { type Binaries, binaryOf } from "./binary.ts";
import type { Scratch } from "./scratch.ts";
import { filled, type Values } from "./template.ts";
import type { Tool } from "./tool.ts";
import { type Base, folderOf } from "./values.ts";
import { type Environment, environmentOf, type Variable } from "./variables.ts";

/** Where the tools of one adapter run. */
export interface Ground extends Base, Binaries {
  /** The adapter's name. */
  readonly name: string;
  /** Variables every tool of this adapter gets, with secrets by reference. */
  readonly variables: readonly Variable[];
}

interface Run {
  readonly tool: Tool;
  readonly ground: Ground;
  readonly args: Arguments;
  readonly values: Values;
  readonly scratch: Scratch;
  readonly world: ExecutionContext;
  /** Only looks: nothing but its scratch folder may be written to. */
  readonly looking: boolean;
}

/** Everything the tool is started with, and which secrets are in it. */
export async function commandOf(run: Run): Promise<Command & Pick<Environment, "secrets">> {
  const { tool, ground, args, values, scratch, world } = run;
  const { definition } = tool;
  const binary = await binaryOf(tool, ground);
  if (binary.kind === "missing") throw new CapabilityError("not-performed", "binary-missing", binary.message);
  const { variables, secrets } = await variablesFor(tool, ground, world);
  const sandbox = sandboxOf(run);
  const stdin = tool.stdin && filled(tool.stdin, values);
  return {
    binary: binary.path,
    args: short(filledArguments(args, values)),
    cwd: definition.cwd === undefined ? scratch.folder : folderOf(tool, definition.cwd, ground),
    env: { PATH: ground.path.join(":"), HOME: scratch.folder, ...variables },
    signal: world.signal,
    maxOutputBytes: definition.output_limit,
    ...(stdin !== undefined && { stdin }),
    ...(sandbox && { sandbox }),
    ...(definition.limits && { limits: limitsOf(definition.limits) }),
    secrets,
  };
}

/** Its own variables come before those of the adapter. */
function variablesFor(tool: Tool, { variables }: Ground, world: ExecutionContext): Promise<Environment> {
  return environmentOf([...variables, ...tool.variables], (name) => world.credential(name));
}

/** Folders it may write to are, for one that only looks, folders it may read. */
function sandboxOf({ tool, ground, scratch, looking }: Run): Sandbox | undefined {
  const { sandbox, folders, preview } = tool.definition;
  if (!sandbox && !looking) return undefined;
  const at = (path: string) => resolve(ground.folder, path);
  const named = Object.values(folders);
  const read = [...(sandbox?.read ?? []), ...named.filter(({ write }) => !write).map(({ path }) => path)].map(
    at,
  );
  const write = [
    ...(sandbox?.write ?? []),
    ...named.filter(({ write }) => write).map(({ path }) => path),
  ].map(at);
  return looking
    ? { read: [...read, ...write], write: [scratch.folder], network: preview?.network ?? false }
    : { read, write: [...write, scratch.folder], network: sandbox?.network ?? false };
}

/** Linux takes no argument of 128 KiB or more, and says so in a way that nobody understands. */
function short(args: string[]): string[] {
  if (args.every((argument) => Buffer.byteLength(argument) < longestArgument)) return args;
  throw new CapabilityError(
    "permanent",
    "argument-too-long",
    "An argument would be longer than 128 KiB: have the tool read it from a file or from stdin.",
  );
}

function limitsOf(limits: NonNullable<Tool["definition"]["limits"]>): NonNullable<Command["limits"]> {
  const { memory_mb, file_mb, open_files, processes, cpu_seconds } = limits;
  return {
    ...(memory_mb !== undefined && { memoryMb: memory_mb }),
    ...(file_mb !== undefined && { fileMb: file_mb }),
    ...(open_files !== undefined && { openFiles: open_files }),
    ...(processes !== undefined && { processes }),
    ...(cpu_seconds !== undefined && { cpuSeconds: cpu_seconds }),
  };
}

const longestArgument = 131_072;
