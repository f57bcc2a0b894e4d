import type { Json, JsonObject } from "../../json.ts";
import { all, type Keywords, type Maker, madeList, madeOne } from "./maker.ts";
import {
  type Check,
  createEvaluatedParts,
  type EvaluatedParts,
  mergeEvaluatedParts,
  type Place,
  type Run,
} from "./run.ts";

/**
 * Compiles the keywords for alternative forms of a value: `allOf`, `anyOf`, `oneOf`, `not`, and `if` with `then` and
 * `else`.
 */
export const formKeywords: Keywords = (schema, where, maker) =>
  all([
    all(madeList(schema, "allOf", where, maker) ?? []),
    anyOf(schema, where, maker),
    oneOf(schema, where, maker),
    not(schema, where, maker),
    conditional(schema, where, maker),
  ]);

function anyOf(schema: JsonObject, where: string, maker: Maker): Check | undefined {
  const forms = madeList(schema, "anyOf", where, maker);
  if (!forms) return undefined;
  return (value, place, run, evaluated) => {
    let fits = false;
    for (const form of forms) {
      fits = tried(form, value, place, run, evaluated) || fits;
      // Stops at the first form that fits. If an outer schema needs to know which parts were evaluated, every form must
      // be tried.
      if (fits && !evaluated) return true;
    }
    return fits || run.fault(place, "matches none of the allowed schemas");
  };
}

function oneOf(schema: JsonObject, where: string, maker: Maker): Check | undefined {
  const forms = madeList(schema, "oneOf", where, maker);
  if (!forms) return undefined;
  return (value, place, run, evaluated) => {
    let fitting = 0;
    for (const form of forms) {
      if (tried(form, value, place, run, evaluated)) fitting++;
      if (fitting > 1) return run.fault(place, "matches more than one schema, but only one is allowed");
    }
    return fitting === 1 || run.fault(place, "matches none of the allowed schemas");
  };
}

function not(schema: JsonObject, where: string, maker: Maker): Check | undefined {
  const form = madeOne(schema, "not", where, maker);
  return (
    form &&
    ((value, place, run) =>
      !run.trying(() => form(value, place, run)) || run.fault(place, "matches a schema that is not allowed"))
  );
}

function conditional(schema: JsonObject, where: string, maker: Maker): Check | undefined {
  const condition = madeOne(schema, "if", where, maker);
  const [then, otherwise] = ["then", "else"].map((keyword) => madeOne(schema, keyword, where, maker));
  if (!condition) return undefined;
  return (value, place, run, evaluated) => {
    const next = tried(condition, value, place, run, evaluated) ? then : otherwise;
    return next?.(value, place, run, evaluated) ?? true;
  };
}

/** Tries a form. The parts that the form evaluated count only if the value fits the form. */
function tried(
  form: Check,
  value: Json,
  place: Place,
  run: Run,
  evaluated: EvaluatedParts | undefined,
): boolean {
  const own = evaluated && createEvaluatedParts();
  const fits = run.trying(() => form(value, place, run, own));
  if (fits) mergeEvaluatedParts(evaluated, own);
  return fits;
}
