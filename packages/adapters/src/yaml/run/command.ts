import { realpath } from "node:fs/promises";
import { resolve, sep } from "node:path";
import { CapabilityError, type ExecutionContext } from "@paraph/core";
import { isSystemPath, type ProcessCommand, type SandboxOptions } from "../../process/index.ts";
import { type ArgumentGroups, fillArguments } from "../definition/arguments.ts";
import { fillTemplate, type TemplateValues } from "../definition/template.ts";
import type { Tool } from "../definition/tool.ts";
import { readToolEnvironment, type ToolEnvironment, type Variable } from "../definition/variables.ts";
import { type BinarySearch, findBinary } from "./binary.ts";
import type { CustomReaders } from "./custom-reader.ts";
import type { ToolScratch } from "./scratch.ts";
import { type ConfigFolder, resolveToolFolder } from "./values.ts";

/** The context in which the tools of one adapter run. */
export interface YamlContext extends ConfigFolder, BinarySearch {
  /** The name of the adapter. */
  readonly name: string;
  /** The variables of every tool of this adapter, with references to secrets. */
  readonly variables: readonly Variable[];
  /** The functions that definitions may name to read outputs. */
  readonly outputReaders: CustomReaders;
}

interface ToolRun {
  readonly tool: Tool;
  readonly context: YamlContext;
  readonly args: ArgumentGroups;
  readonly values: TemplateValues;
  readonly scratch: ToolScratch;
  readonly world: ExecutionContext;
  /** Whether the run is a preview. A preview may write only to its scratch folder. */
  readonly isPreview: boolean;
}

/** Builds the command that runs a tool, and lists the secrets in the command. */
export async function createToolCommand(
  run: ToolRun,
): Promise<ProcessCommand & Pick<ToolEnvironment, "secrets">> {
  const { tool, context, args, values, scratch, world } = run;
  const { definition } = tool;
  const binary = await findBinary(tool, context);
  if (binary.kind === "missing") throw new CapabilityError("not-performed", "binary-missing", binary.message);
  const { variables, secrets } = await readVariables(tool, context, world);
  const sandbox = await showProgram(binary.path, toSandbox(run));
  const stdin = tool.stdin && fillTemplate(tool.stdin, values);
  return {
    binary: binary.path,
    args: requireShortArguments(fillArguments(args, values)),
    cwd: definition.cwd === undefined ? scratch.folder : resolveToolFolder(tool, definition.cwd, context),
    env: { PATH: context.path.join(":"), HOME: scratch.folder, ...variables },
    signal: world.signal,
    maxOutputBytes: definition.output_limit,
    ...(stdin !== undefined && { stdin }),
    ...(sandbox && { sandbox }),
    ...(definition.limits && { limits: toLimits(definition.limits) }),
    secrets,
  };
}

/** Reads the environment variables. A tool's variables override the adapter's variables. */
function readVariables(
  tool: Tool,
  { variables }: YamlContext,
  context: ExecutionContext,
): Promise<ToolEnvironment> {
  return readToolEnvironment([...variables, ...tool.variables], (name) => context.credential(name));
}

/** Builds the sandbox. In a preview, writable folders become read-only. */
function toSandbox({ tool, context, scratch, isPreview }: ToolRun): SandboxOptions | undefined {
  const { sandbox, folders, preview } = tool.definition;
  if (!sandbox && !isPreview) return undefined;
  const at = (path: string) => resolve(context.folder, path);
  const named = Object.values(folders);
  const read = [...(sandbox?.read ?? []), ...named.filter(({ write }) => !write).map(({ path }) => path)].map(
    at,
  );
  const write = [
    ...(sandbox?.write ?? []),
    ...named.filter(({ write }) => write).map(({ path }) => path),
  ].map(at);
  return isPreview
    ? { read: [...read, ...write], write: [scratch.folder], network: preview?.network ?? false }
    : { read, write: [...write, scratch.folder], network: sandbox?.network ?? false };
}

/**
 * [TRUST 18] Makes the tool's program readable in its sandbox, at its path and at the path that links lead to. It adds
 * only the file, because the folder around it may be the home folder. Only the tool's definition names the program.
 * For a program that a caller names, this would give access to files outside the sandbox.
 */
async function showProgram(
  program: string,
  sandbox: SandboxOptions | undefined,
): Promise<SandboxOptions | undefined> {
  if (sandbox === undefined) return undefined;
  const { read = [], write = [] } = sandbox;
  const isVisible = (path: string) =>
    isSystemPath(path) || [...read, ...write].some((folder) => path.startsWith(folder + sep));
  const files = new Set([program, await realpath(program)]);
  return { ...sandbox, read: [...read, ...[...files].filter((path) => !isVisible(path))] };
}

/** Rejects arguments of 128 KiB or more. Linux does not accept them, and its error message is hard to understand. */
function requireShortArguments(args: string[]): string[] {
  if (args.every((argument) => Buffer.byteLength(argument) < maxArgumentBytes)) return args;
  throw new CapabilityError(
    "permanent",
    "argument-too-long",
    "An argument is longer than 128 KiB. Change the tool's definition, so that it reads the value from a file or from stdin.",
  );
}

function toLimits(limits: NonNullable<Tool["definition"]["limits"]>): NonNullable<ProcessCommand["limits"]> {
  const { memory_mb, file_mb, open_files, processes, cpu_seconds } = limits;
  return {
    ...(memory_mb !== undefined && { memoryMb: memory_mb }),
    ...(file_mb !== undefined && { fileMb: file_mb }),
    ...(open_files !== undefined && { openFiles: open_files }),
    ...(processes !== undefined && { processes }),
    ...(cpu_seconds !== undefined && { cpuSeconds: cpu_seconds }),
  };
}

const maxArgumentBytes = 131_072;
