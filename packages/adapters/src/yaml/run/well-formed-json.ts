import { isJsonObject, type Json } from "@paraph/core";

/** Replaces unpaired surrogates. `"\ud800"` is valid JSON but has no canonical form. */
export function toWellFormedJson(value: Json): Json {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map(toWellFormedJson);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key.toWellFormed(), toWellFormedJson(inner)]),
  );
}
