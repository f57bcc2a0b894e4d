import type { Json, JsonObject } from "@paraph/core";
import { usageError } from "../../lib/cli-error.ts";

/**
 * Parses the bounds that a grant sets for a call's arguments, for example `path=text`, `count:=3`, `path^=notes/`,
 * `cents<=500` or `cents>=1`.
 */
export function parseBounds(texts: readonly string[]): JsonObject {
  const bounds: Record<string, Record<string, Json>> = {};
  for (const text of texts) {
    const [, path, sign, rest] = /^([^\s=:^<>]+)(:=|\^=|<=|>=|=)([\s\S]*)$/.exec(text) ?? [];
    if (path === undefined || sign === undefined || rest === undefined) throw boundError(text);
    const [name, value] = parseBound(sign, rest, text);
    bounds[path] = { ...bounds[path], [name]: value };
  }
  return bounds;
}

function parseBound(sign: string, rest: string, text: string): [name: string, value: Json] {
  switch (sign) {
    case "=":
      return ["is", rest];
    case ":=":
      return ["is", parseJson(rest, text)];
    case "^=":
      return ["startsWith", rest];
    default:
      return [sign === "<=" ? "atMost" : "atLeast", parseNumber(rest, text)];
  }
}

function parseJson(rest: string, text: string): Json {
  try {
    return JSON.parse(rest) as Json;
  } catch {
    throw boundError(text);
  }
}

function parseNumber(rest: string, text: string): number {
  if (rest.trim() !== "" && Number.isFinite(Number(rest))) return Number(rest);
  throw boundError(text);
}

function boundError(text: string) {
  return usageError(
    `\`${text}\` is not a bound. Write \`path=text\`, \`count:=3\`, \`path^=beginning\`, \`cents<=500\` or \`cents>=1\`.`,
  );
}
