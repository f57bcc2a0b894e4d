/** A plain JSON value that RFC 8785 can canonicalise. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A plain JSON object. */
export type JsonObject = { readonly [key: string]: Json };

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
