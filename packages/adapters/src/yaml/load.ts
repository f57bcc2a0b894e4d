import { glob, readFile } from "node:fs/promises";
import { basename, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type Capability, ParaphError } from "@paraph/core";
import { createToolCapability } from "./capability.ts";
import {
  type DefinedTool,
  type FileFault,
  parseToolsDocument,
  type ToolFaultReporter,
} from "./definition/document.ts";
import { compileTool, type Tool } from "./definition/tool.ts";
import type { YamlContext } from "./run/command.ts";

export interface LoadedTools {
  /** The files that were found, including those that could not be read. */
  readonly paths: readonly string[];
  readonly tools: readonly Tool[];
  readonly capabilities: readonly Capability[];
  /** The faults of the tools that could not be loaded. */
  readonly faults: readonly FileFault[];
}

export interface ToolSources {
  /** The paths and patterns of the tool files, relative to the configuration's folder. */
  readonly files: readonly string[];
  /** The names of definitions that Paraph ships. */
  readonly shipped: readonly string[];
}

/** Reads every file, and creates a capability for each valid tool. */
export async function loadTools(sources: ToolSources, yamlContext: YamlContext): Promise<LoadedTools> {
  const faults: FileFault[] = [];
  const made = new Map<string, { tool: Tool; capability: Capability }>();
  const paths = await listPaths(sources, yamlContext.folder, faults);
  for (const path of paths) {
    const { tools, faults: found } = await readToolsFile(path, yamlContext.folder);
    faults.push(...found);
    for (const defined of tools) {
      const one = made.has(defined.name.replaceAll("-", "_"))
        ? [defined.createFault([], "another tool has this name: rename one of them")]
        : createTool(defined, yamlContext);
      if (Array.isArray(one)) faults.push(...one);
      else made.set(one.tool.name, one);
    }
  }
  const all = [...made.values()];
  return {
    paths,
    tools: all.map(({ tool }) => tool),
    capabilities: all.map(({ capability }) => capability),
    faults,
  };
}

function createTool({ name, definition, createFault }: DefinedTool, yamlContext: YamlContext) {
  const faults: FileFault[] = [];
  const report: ToolFaultReporter = (path, message) => faults.push(createFault(path, message));
  const tool = compileTool(name, definition, report, yamlContext.outputReaders);
  if (faults.length > 0) return faults;
  try {
    return { tool, capability: createToolCapability(tool, yamlContext) };
  } catch (error) {
    if (error instanceof ParaphError) return [createFault([], error.message)];
    throw error;
  }
}

async function listPaths(
  { files, shipped }: ToolSources,
  folder: string,
  faults: FileFault[],
): Promise<string[]> {
  const paths = shipped.map((name) => fileURLToPath(new URL(`./shipped/${name}.yaml`, import.meta.url)));
  for (const pattern of files) {
    const found: string[] = [];
    for await (const path of glob(pattern, { cwd: folder })) found.push(path);
    if (found.length === 0)
      faults.push({
        file: pattern,
        line: 1,
        message: "no file matches: correct `files`, or create the file",
      });
    paths.push(...found.sort().map((path) => resolve(folder, path)));
  }
  return [...new Set(paths)];
}

async function readToolsFile(path: string, folder: string) {
  const shown = relative(folder, path);
  const file = shown.startsWith("..") ? basename(path) : shown;
  try {
    return parseToolsDocument(file, await readFile(path, "utf8"));
  } catch {
    return {
      tools: [],
      faults: [{ file, line: 1, message: "the server's user cannot read this file: check its permissions" }],
    };
  }
}
