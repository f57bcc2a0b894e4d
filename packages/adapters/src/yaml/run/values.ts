import { resolve } from "node:path";
import type { ToolInput } from "../definition/input-schema.ts";
import type { TemplateValues } from "../definition/template.ts";
import type { Tool } from "../definition/tool.ts";
import { resolveInRoot } from "./path-in-folder.ts";
import type { ToolScratch } from "./scratch.ts";

/** The folder to which paths of the configuration are relative. */
export interface ConfigFolder {
  readonly folder: string;
}

/**
 * Creates the values of the placeholders for one run. The function writes a file for each value that the definition
 * uses as a file.
 */
export async function createValues(
  tool: Tool,
  input: ToolInput,
  base: ConfigFolder,
  key: string,
  scratch: ToolScratch,
): Promise<TemplateValues> {
  const values = new Map(await readPlainValues(tool, input, base));
  for (const [name, declared] of tool.inputs) {
    if (input[name] === undefined || !tool.namedValues.has(`${name}_file`)) continue;
    const extension = declared.type === "content" ? declared.extension : "txt";
    values.set(`${name}_file`, await scratch.write(`${name}.${extension}`, String(input[name])));
  }
  values.set("key", key);
  values.set("output_file", resolve(scratch.folder, outputFileName));
  return values;
}

/** Creates the values for a preview. The function writes no files and masks sensitive values. */
export async function createShownValues(
  tool: Tool,
  input: ToolInput,
  base: ConfigFolder,
  key: string,
): Promise<TemplateValues> {
  const values = new Map(await readPlainValues(tool, input, base));
  for (const name of tool.inputs.keys()) {
    if (input[name] === undefined) continue;
    values.set(`${name}_file`, `[file with ${name}, ${String(input[name]).length} characters]`);
  }
  for (const name of Object.keys(listSensitiveValues(tool, input))) values.set(name, `[hidden: ${name}]`);
  values.set("key", key);
  values.set("output_file", "[file for the output]");
  return values;
}

async function readPlainValues(
  tool: Tool,
  input: ToolInput,
  base: ConfigFolder,
): Promise<[string, string][]> {
  const given = [...tool.inputs].filter(([name]) => input[name] !== undefined);
  return Promise.all(
    given.map(async ([name, declared]): Promise<[string, string]> => {
      const text = String(input[name]);
      if (declared.type !== "path") return [name, text];
      return [name, await resolveInRoot(resolveToolFolder(tool, declared.below, base), text)];
    }),
  );
}

/** Returns the values of the sensitive inputs, by name. These values appear in no preview and no error. */
export function listSensitiveValues(tool: Tool, input: ToolInput): Record<string, string> {
  const given = tool.definition.sensitive.filter((name) => input[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, String(input[name])]));
}

export function resolveToolFolder(tool: Tool, name: string, { folder }: ConfigFolder): string {
  return resolve(folder, tool.definition.folders[name]!.path);
}

export const outputFileName = "output";
