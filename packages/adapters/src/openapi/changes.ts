import { type Change, isJsonObject, type Json, type JsonObject } from "@paraph/core";
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";
import type { CurrentState } from "./current-state.ts";
import type { ApiOperation } from "./operation.ts";

/** Builds a preview, for people, of the changes that an operation would make to the current state. */
export function toOperationChanges(
  operation: ApiOperation,
  target: string,
  current: CurrentState,
  input: JsonObject,
): Change[] {
  const before = current.kind === "present" ? current.answer.body : undefined;
  const after = computeAfter(operation, before, input.body);
  const kind = operation.method === "DELETE" ? "delete" : before === undefined ? "create" : "update";
  const diff = formatJsonDiff(
    target,
    redactBody(before, operation.sensitive),
    redactBody(after, operation.sensitive),
  );
  return [
    { kind, target: `${operation.method} ${target}`, summary: operation.summary, ...(diff && { diff }) },
  ];
}

function computeAfter(
  { method, body }: ApiOperation,
  before: Json | undefined,
  sent: Json | undefined,
): Json | undefined {
  if (method === "DELETE") return undefined;
  if (method !== "PATCH") return sent;
  // Returns the old state for a JSON Patch, because only the host knows the result.
  return /json-patch/i.test(body?.mediaType ?? "") ? before : mergePatch(before, sent);
}

/**
 * Applies a merge patch (RFC 7396). The adapter treats the body of a PATCH as a merge patch unless its media type is
 * JSON Patch.
 */
export function mergePatch(before: Json | undefined, patch: Json | undefined): Json | undefined {
  if (!isJsonObject(patch)) return patch;
  // [TRUST 30] A map keeps a member with the name `__proto__`, which the output of an earlier step can contain.
  const result = new Map<string, Json>(Object.entries(isJsonObject(before) ? before : {}));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) result.delete(name);
    else result.set(name, mergePatch(result.get(name), value)!);
  }
  return Object.fromEntries(result);
}

/**
 * The maximum number of edits in a diff. The limit counts edits, because a time limit would make the approved diff
 * depend on the load of the machine.
 */
const maxEdits = 1_000;

function formatJsonDiff(path: string, before: Json | undefined, after: Json | undefined): string | undefined {
  const [from, to] = [
    before === undefined ? "/dev/null" : `a${path}`,
    after === undefined ? "/dev/null" : `b${path}`,
  ];
  const options = { context: 3, maxEditLength: maxEdits, headerOptions: FILE_HEADERS_ONLY };
  return createTwoFilesPatch(from, to, formatJson(before), formatJson(after), undefined, undefined, options);
}

function formatJson(value: Json | undefined): string {
  if (value === undefined) return "";
  return `${typeof value === "string" ? value : JSON.stringify(sortKeys(value), null, 2)}\n`;
}

/** Sorts keys, because a different order of keys is not a change. */
function sortKeys(value: Json): Json {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, sortKeys(value[name]!)]),
  );
}

/** [TRUST 16] Masks fields of the body that are also masked in the input. */
function redactBody(value: Json | undefined, sensitive: readonly string[]): Json | undefined {
  const paths = sensitive.filter((path) => path.startsWith("body.")).map((path) => path.split(".").slice(1));
  return value === undefined ? undefined : paths.reduce<Json>(redactPath, value);
}

function redactPath(value: Json, path: readonly string[]): Json {
  if (path.length === 0) return "•••";
  if (Array.isArray(value)) return value.map((each) => redactPath(each, path));
  const [name = "", ...rest] = path;
  if (!isJsonObject(value) || !Object.hasOwn(value, name)) return value;
  return { ...value, [name]: redactPath(value[name]!, rest) };
}
