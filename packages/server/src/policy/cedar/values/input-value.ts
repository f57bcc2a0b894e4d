import type { CedarValueJson } from "@cedar-policy/cedar-wasm/nodejs";
import { isJsonObject, type Json } from "@paraph/core";
import type { InputType, RecordType } from "./input-type.ts";

/**
 * Returns the typed parts of a value for Cedar. A value of the wrong type is a fault and is never left out. If it were
 * left out, a forbid that tests it would not apply, and the call would pass. [P10] Faults name the place in the
 * contract, not the value.
 */
export function toInputValue(
  type: InputType,
  value: Json | undefined,
  path: string,
  faults: string[],
): CedarValueJson {
  const fits = (holds: boolean): CedarValueJson => {
    if (!holds) faults.push(`input-unfit:${path}`);
    return holds ? (value as CedarValueJson) : null;
  };
  switch (type.kind) {
    case "string":
      return fits(typeof value === "string" && value.isWellFormed());
    case "bool":
      return fits(typeof value === "boolean");
    case "long":
      // Rejects an integer above 2^53, because JavaScript may have rounded the number that the requester sent.
      return fits(Number.isSafeInteger(value));
    case "set":
      if (!Array.isArray(value)) return fits(false);
      // Uses `Array.from`, because `map` would skip holes in the array.
      return Array.from(value, (item) => toInputValue(type.of, item, `${path}[]`, faults));
    case "record":
      return toRecordValue(type, value, path, faults);
    case "untyped":
      return null;
  }
}

function toRecordValue(
  type: RecordType,
  value: Json | undefined,
  path: string,
  faults: string[],
): CedarValueJson {
  if (!isJsonObject(value)) {
    faults.push(`input-unfit:${path}`);
    return null;
  }
  const record: Record<string, CedarValueJson> = {};
  for (const [name, field] of type.fields) {
    if (field.type.kind === "untyped") continue;
    const here = `${path}.${name}`;
    if (Object.hasOwn(value, name)) record[name] = toInputValue(field.type, value[name], here, faults);
    else if (field.required) faults.push(`input-missing:${here}`);
  }
  return record;
}
