import { isJsonObject, type Json, type JsonObject } from "../../json.ts";
import { escaped } from "./maker.ts";

export type Referred =
  | { readonly kind: "found"; readonly schema: Json; readonly where: string }
  | { readonly kind: "refused"; readonly sentence: string };

/**
 * [TRUST 24] Finds the schema of a reference inside the document. It fetches and reads nothing outside the document.
 */
export function findReferred(document: JsonObject, reference: string): Referred {
  const own =
    typeof document.$id === "string" && document.$id !== "" ? document.$id.replace(/#$/, "") : undefined;
  const inside = own && reference.startsWith(`${own}#`) ? reference.slice(own.length) : reference;
  if (!inside.startsWith("#"))
    return refused(
      "points to another document; copy the definition into `$defs` and refer to it with `#/$defs/…`",
    );
  if (inside === "#" || inside.startsWith("#/")) return byPointer(document, inside.slice(1));
  const where = anchored(document, inside.slice(1), "");
  return where === undefined
    ? refused("points to a definition that does not exist")
    : byPointer(document, where);
}

function byPointer(document: JsonObject, pointer: string): Referred {
  let here: Json | undefined = document;
  let where = "";
  for (const part of pointer.split("/").slice(1)) {
    const name = unescaped(part);
    if (name === undefined) return refused("is not a JSON Pointer");
    here = isJsonObject(here) || Array.isArray(here) ? own(here, name) : undefined;
    if (here === undefined) return refused("points to a definition that does not exist");
    where += `/${escaped(name)}`;
  }
  return { kind: "found", schema: here, where };
}

function own(value: JsonObject | readonly Json[], name: string): Json | undefined {
  return Object.hasOwn(value, name) ? (value as JsonObject)[name] : undefined;
}

function unescaped(part: string): string | undefined {
  try {
    return decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return undefined;
  }
}

/** Returns the JSON Pointer of the schema with this `$anchor`. */
function anchored(value: Json, anchor: string, where: string): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (isJsonObject(value) && (value.$anchor === anchor || value.$id === `#${anchor}`)) return where;
  for (const [name, inner] of Object.entries(value)) {
    const found = anchored(inner, anchor, `${where}/${escaped(name)}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function refused(sentence: string): Referred {
  return { kind: "refused", sentence };
}
