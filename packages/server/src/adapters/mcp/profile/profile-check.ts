import type { Json, JsonObject } from "@paraph/core";
import type { ToolTerms } from "./profile.ts";
import { listPlaceholders } from "./template.ts";

/** Something that a profile says of a tool and that the server's own definitions do not bear out. */
export interface ProfileMismatch {
  /** The tool whose terms these are. */
  readonly tool: string;
  readonly message: string;
}

/** What of a tool's definition counts here. */
interface OfferedTool {
  readonly name: string;
  readonly inputSchema: object;
}

/**
 * Where a profile speaks of fields and tools that a server has not: it was written for another version, and its previews
 * would show something else than what is done. Terms for tools that are not offered are no misfit: many servers are started
 * with a part of their tools.
 */
export function findProfileMismatches(
  terms: Readonly<Record<string, ToolTerms>>,
  tools: readonly OfferedTool[],
): readonly ProfileMismatch[] {
  const offered = new Map(tools.map((tool) => [tool.name, tool]));
  return Object.entries(terms).flatMap(([name, said]) => {
    const tool = offered.get(name);
    return tool ? listMismatches(said, tool, offered).map((message) => ({ tool: name, message })) : [];
  });
}

function listMismatches(
  terms: ToolTerms,
  tool: OfferedTool,
  offered: ReadonlyMap<string, OfferedTool>,
): string[] {
  const { locks, preview, probe, undo } = terms;
  const asked = [
    ...Object.values(preview?.reads ?? {}),
    ...Object.values(probe?.reads ?? {}),
    ...(undo ? [undo] : []),
  ];
  return [
    ...new Set([
      ...listUnknownInputs([locks, preview, probe, undo], tool),
      ...asked.flatMap((each) => listUseMismatches(each, offered)),
    ]),
  ];
}

/** Of what the call itself is given. */
function listUnknownInputs(templates: readonly unknown[], { inputSchema }: OfferedTool): string[] {
  const ways = listPlaceholders(JSON.parse(JSON.stringify(templates)) as Json);
  return ways
    .filter((way) => way.startsWith("input.") && !hasPath(inputSchema as JsonObject, way.split(".").slice(1)))
    .map((way) => `it has no \`${way}\``);
}

/** Of what another tool is asked with. */
function listUseMismatches(
  {
    tool: name,
    arguments: given,
  }: { readonly tool: string; readonly arguments: Readonly<Record<string, unknown>> },
  offered: ReadonlyMap<string, OfferedTool>,
): string[] {
  const schema = offered.get(name)?.inputSchema as JsonObject | undefined;
  if (!schema) return [`\`${name}\`, which is asked for it, is not offered`];
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  return [
    ...Object.keys(given)
      .filter((key) => !hasPath(schema, [key]))
      .map((key) => `\`${name}\` takes no \`${key}\``),
    ...required.filter((key) => !Object.hasOwn(given, key)).map((key) => `\`${name}\` needs \`${key}\``),
  ];
}

/** Whether a schema lets there be a value; where it does not say what there is, it may. */
function hasPath(schema: Json | undefined, [first, ...rest]: readonly string[]): boolean {
  if (first === undefined || typeof schema !== "object" || schema === null) return true;
  const { properties, items } = schema as JsonObject;
  if (items !== undefined && /^\d+$/.test(first)) return hasPath(items, rest);
  if (typeof properties !== "object" || properties === null) return true;
  return Object.hasOwn(properties, first) && hasPath((properties as JsonObject)[first], rest);
}
