import { isJsonObject, type Json, type JsonObject } from "../json.ts";

/** Restores the fields of each item of a list. */
export function restoreItems(
  some: Json | undefined,
  all: Json | undefined,
  list: "steps" | "changes",
  fields: readonly string[],
): Json | undefined {
  const items = ((some ?? {}) as JsonObject)[list];
  const originals = ((all ?? {}) as JsonObject)[list];
  if (items === undefined || originals === undefined || !Array.isArray(items) || !Array.isArray(originals))
    return some;
  const restored = items.map((item, index) => restoreFields(item, originals[index], fields) ?? null);
  return { ...(some as JsonObject), [list]: restored };
}

/** Returns `some` with those of these fields that `all` has. */
export function restoreFields(
  some: Json | undefined,
  all: Json | undefined,
  fields: readonly string[],
): Json | undefined {
  if (!isJsonObject(some) || !isJsonObject(all)) return some;
  return { ...some, ...Object.fromEntries(Object.entries(all).filter(([name]) => fields.includes(name))) };
}
