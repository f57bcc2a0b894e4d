import { isJsonObject, type Json, type JsonObject } from "../../json.ts";
import { arrayKeywords, unevaluatedItems } from "./array-keywords.ts";
import { formKeywords } from "./form-keywords.ts";
import { all, type Maker } from "./maker.ts";
import { objectKeywords, unevaluatedProperties } from "./object-keywords.ts";
import { findReferred } from "./reference.ts";
import { type Check, createEvaluatedParts, mergeEvaluatedParts } from "./run.ts";
import { numberKeywords, stringKeywords, typeKeyword, valueKeywords } from "./scalar-keywords.ts";

/** Compiles a document into a check. Adds a fault for every part of the document that cannot be used. */
export function compile(document: JsonObject, faults: string[]): Check {
  const made = new Map<string, { check?: Check }>();
  const fault = (where: string, sentence: string) => faults.push(`\`${where || "/"}\` ${sentence}`);
  const maker: Maker = {
    old: /draft-0[3-7]/.test(String(document.$schema ?? "")),
    states: 0,
    fault,
    make: (schema, where) => checkOf(schema, where, maker),
    refer(reference, where) {
      const found = findReferred(document, reference);
      if (found.kind === "refused") {
        fault(`${where}/$ref`, found.sentence);
        return () => false;
      }
      // A schema that is still being compiled has no check yet. A reference to it uses the slot that will hold the
      // check.
      const known = made.get(found.where);
      if (known) return (...given) => known.check!(...given);
      const slot: { check?: Check } = {};
      made.set(found.where, slot);
      slot.check = checkOf(found.schema, found.where, maker);
      return slot.check;
    },
  };
  return checkOf(document, "", maker);
}

function checkOf(schema: Json, where: string, maker: Maker): Check {
  if (schema === true) return () => true;
  if (schema === false) return (_value, place, run) => run.fault(place, "is not allowed here");
  if (!isJsonObject(schema)) {
    maker.fault(where, "has to be a schema: an object, true or false");
    return () => false;
  }
  refuseForeign(schema, where, maker);
  const check = keywordsOf(schema, where, maker);
  return (value, place, run, evaluated) => run.step(() => check(value, place, run, evaluated));
}

function keywordsOf(schema: JsonObject, where: string, maker: Maker): Check {
  const referred = typeof schema.$ref === "string" ? maker.refer(schema.$ref, where) : undefined;
  if (referred && maker.old) return referred;
  const type = typeKeyword(schema, where, maker);
  const families = [
    valueKeywords,
    numberKeywords,
    stringKeywords,
    objectKeywords,
    arrayKeywords,
    formKeywords,
  ];
  const rest = all([referred, ...families.map((family) => family(schema, where, maker))]);
  const last = all([unevaluatedProperties(schema, where, maker), unevaluatedItems(schema, where, maker)]);
  return (value, place, run, evaluated) => {
    // Stops if the type is wrong, because further faults would not help the author.
    if (type && !type(value, place, run)) return false;
    if (!last) return rest?.(value, place, run, evaluated) ?? true;
    // `unevaluated…` keywords see only the parts that their own schema has evaluated. Parts that sibling schemas have
    // evaluated do not count.
    const own = createEvaluatedParts();
    const fits = rest?.(value, place, run, own) ?? true;
    const whole = last(value, place, run, own) && fits;
    mergeEvaluatedParts(evaluated, own);
    return whole;
  };
}

/** [P11] Rejects unsupported keywords that would change the meaning of other keywords. */
function refuseForeign(schema: JsonObject, where: string, maker: Maker): void {
  for (const keyword of ["$dynamicRef", "$recursiveRef"])
    if (keyword in schema) maker.fault(`${where}/${keyword}`, "is not supported; use `$ref` instead");
  if ("$ref" in schema && typeof schema.$ref !== "string") maker.fault(`${where}/$ref`, "has to be a string");
  const id = schema.$id;
  if (where !== "" && typeof id === "string" && !id.startsWith("#"))
    maker.fault(
      `${where}/$id`,
      "defines a separate document; move the schema into `$defs` and remove its `$id`",
    );
}
