import type { Json, JsonObject } from "@paraph/core";
import type { ToolTerms } from "./profile.ts";
import { listPlaceholders } from "./template.ts";

/** A statement of a profile that the server's definitions contradict. */
export interface ProfileMismatch {
  /** The tool that the statement is about. */
  readonly tool: string;
  readonly message: string;
}

/** The part of a tool's definition that Paraph compares with the profile. */
interface OfferedTool {
  readonly name: string;
  readonly inputSchema: object;
}

/**
 * Finds the fields and tools that a tool's terms use but the server does not have. A profile with such terms was
 * written for another version of the server, and its previews would not show the actual changes. The function ignores
 * the terms of a tool that the server does not offer, because many servers can start with a subset of their tools.
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

/** Lists the inputs that the templates use but the tool's own schema does not have. */
function listUnknownInputs(templates: readonly unknown[], { inputSchema }: OfferedTool): string[] {
  const ways = listPlaceholders(JSON.parse(JSON.stringify(templates)) as Json);
  return ways
    .filter((way) => way.startsWith("input.") && !hasPath(inputSchema as JsonObject, way.split(".").slice(1)))
    .map((way) => `it has no \`${way}\``);
}

/** Lists the mismatches between a profile's use of another tool and that tool's definition. */
function listUseMismatches(
  {
    tool,
    arguments: given,
  }: { readonly tool: string; readonly arguments: Readonly<Record<string, unknown>> },
  offered: ReadonlyMap<string, OfferedTool>,
): string[] {
  const schema = offered.get(tool)?.inputSchema as JsonObject | undefined;
  if (!schema) return [`it uses \`${tool}\`, which the server does not offer`];
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  return [
    ...Object.keys(given)
      .filter((key) => !hasPath(schema, [key]))
      .map((key) => `\`${tool}\` takes no \`${key}\``),
    ...required.filter((key) => !Object.hasOwn(given, key)).map((key) => `\`${tool}\` needs \`${key}\``),
  ];
}

/** Whether a schema allows a value at the path. A schema without properties allows everything. */
function hasPath(schema: Json | undefined, [first, ...rest]: readonly string[]): boolean {
  if (first === undefined || typeof schema !== "object" || schema === null) return true;
  const { properties, items } = schema as JsonObject;
  if (items !== undefined && /^\d+$/.test(first)) return hasPath(items, rest);
  if (typeof properties !== "object" || properties === null) return true;
  return Object.hasOwn(properties, first) && hasPath((properties as JsonObject)[first], rest);
}
