import type { Change, Json, JsonObject } from "@paraph/core";
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";
import type { Current } from "./current.ts";
import { isObject } from "./node.ts";
import type { Operation } from "./operation.ts";

/** What an operation would change of what is there now, for people. */
export function changesOf(
  operation: Operation,
  target: string,
  current: Current,
  input: JsonObject,
): Change[] {
  const before = current.kind === "present" ? current.answer.body : undefined;
  const after = afterwards(operation, before, input.body);
  const kind = operation.method === "DELETE" ? "delete" : before === undefined ? "create" : "update";
  const diff = difference(target, hidden(before, operation.sensitive), hidden(after, operation.sensitive));
  return [
    { kind, target: `${operation.method} ${target}`, summary: operation.summary, ...(diff && { diff }) },
  ];
}

function afterwards(
  { method, body }: Operation,
  before: Json | undefined,
  sent: Json | undefined,
): Json | undefined {
  if (method === "DELETE") return undefined;
  if (method !== "PATCH") return sent;
  // Of a list of steps only the host knows what it comes to.
  return /json-patch/i.test(body?.mediaType ?? "") ? before : merged(before, sent);
}

/** RFC 7396, which is what hosts mean by PATCH unless they say otherwise. */
export function merged(before: Json | undefined, patch: Json | undefined): Json | undefined {
  if (!isObject(patch)) return patch;
  const result: Record<string, Json> = isObject(before) ? { ...before } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = merged(result[name], value)!;
  }
  return result;
}

/** A bound on edits, not on time: what is approved must come out the same on a busy day. */
const mostEdits = 1_000;

function difference(path: string, before: Json | undefined, after: Json | undefined): string | undefined {
  const [from, to] = [
    before === undefined ? "/dev/null" : `a${path}`,
    after === undefined ? "/dev/null" : `b${path}`,
  ];
  const options = { context: 3, maxEditLength: mostEdits, headerOptions: FILE_HEADERS_ONLY };
  return createTwoFilesPatch(from, to, written(before), written(after), undefined, undefined, options);
}

function written(value: Json | undefined): string {
  if (value === undefined) return "";
  return `${typeof value === "string" ? value : JSON.stringify(sorted(value), null, 2)}\n`;
}

/** Hosts and agents write keys in orders of their own: that is no change. */
function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, sorted(value[name]!)]),
  );
}

/** [TRUST 16] A field of the body that is not shown in the input is not shown here either. */
function hidden(value: Json | undefined, sensitive: readonly string[]): Json | undefined {
  const paths = sensitive.filter((path) => path.startsWith("body.")).map((path) => path.split(".").slice(1));
  return value === undefined ? undefined : paths.reduce<Json>(without, value);
}

function without(value: Json, path: readonly string[]): Json {
  if (path.length === 0) return "•••";
  if (Array.isArray(value)) return value.map((each) => without(each, path));
  const [name = "", ...rest] = path;
  if (!isObject(value) || !Object.hasOwn(value, name)) return value;
  return { ...value, [name]: without(value[name]!, rest) };
}
