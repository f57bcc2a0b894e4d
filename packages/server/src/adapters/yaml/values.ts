import { resolve } from "node:path";
import type { ToolInput } from "./input-schema.ts";
import { rootedPath } from "./rooted-path.ts";
import type { Scratch } from "./scratch.ts";
import type { Values } from "./template.ts";
import type { Tool } from "./tool.ts";

/** Where what a configuration names by a relative path is. */
export interface Base {
  readonly folder: string;
}

/** What stands in for the placeholders of one run. Files are made for those that are named as files. */
export async function valuesOf(
  tool: Tool,
  input: ToolInput,
  base: Base,
  key: string,
  scratch: Scratch,
): Promise<Values> {
  const values = new Map(await plainValues(tool, input, base));
  for (const [name, declared] of tool.inputs) {
    if (input[name] === undefined || !tool.named.has(`${name}_file`)) continue;
    const extension = declared.type === "content" ? declared.extension : "txt";
    values.set(`${name}_file`, await scratch.write(`${name}.${extension}`, String(input[name])));
  }
  values.set("key", key);
  values.set("output_file", resolve(scratch.folder, outputFile));
  return values;
}

/** The same for people to look at: nothing is made, and what is sensitive is not there. */
export async function shownValues(tool: Tool, input: ToolInput, base: Base, key: string): Promise<Values> {
  const values = new Map(await plainValues(tool, input, base));
  for (const name of tool.inputs.keys()) {
    if (input[name] === undefined) continue;
    values.set(`${name}_file`, `[file with ${name}, ${String(input[name]).length} characters]`);
  }
  for (const name of Object.keys(sensitiveValues(tool, input))) values.set(name, `[hidden: ${name}]`);
  values.set("key", key);
  values.set("output_file", "[file for the output]");
  return values;
}

async function plainValues(tool: Tool, input: ToolInput, base: Base): Promise<[string, string][]> {
  const given = [...tool.inputs].filter(([name]) => input[name] !== undefined);
  return Promise.all(
    given.map(async ([name, declared]): Promise<[string, string]> => {
      const text = String(input[name]);
      if (declared.type !== "path") return [name, text];
      return [name, await rootedPath(folderOf(tool, declared.below, base), text)];
    }),
  );
}

/** By name: what is shown in no preview and told in no error. */
export function sensitiveValues(tool: Tool, input: ToolInput): Record<string, string> {
  const given = tool.definition.sensitive.filter((name) => input[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, String(input[name])]));
}

export function folderOf(tool: Tool, name: string, { folder }: Base): string {
  return resolve(folder, tool.definition.folders[name]!.path);
}

export const outputFile = "output";
