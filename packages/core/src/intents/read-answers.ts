import type { Json } from "../json.ts";
import type { Day } from "./calendar.ts";
import { isTimeUse, readFieldValue, type ValueContext } from "./field-values.ts";
import type { Field } from "./fields.ts";
import { toBoolean } from "./lexicon.ts";
import { readTokens, type ValueToken } from "./tokens.ts";
import type { IntentQuestion, IntentRequest } from "./understanding.ts";

/** The maximum length of a number, an amount, a date or a term in an answer. */
const maxValueLength = 1_000;

/** Returns the values that the requester's answers give the fields of one step. Each answer is a value as a whole. */
export function readAnswers(
  { answers = [], now, timeZone }: Pick<IntentRequest, "answers" | "now" | "timeZone">,
  fields: readonly Field[],
  step: number,
  day?: Day,
): { readonly values: ReadonlyMap<string, Json>; readonly questions: readonly IntentQuestion[] } {
  const values = new Map<string, Json>();
  const questions: IntentQuestion[] = [];
  for (const answer of answers) {
    const field = answer.step === step ? fields.find(({ name }) => name === answer.field) : undefined;
    if (!field) continue;
    const read = readAnswer(field, answer.value, { now, timeZone, day });
    if (read?.kind === "value") values.set(field.name, field.isList ? [read.value] : read.value);
    else
      questions.push({
        code: "field-invalid",
        step,
        field: field.name,
        message: read?.message ?? `The answer is no value for \`${field.name}\`.`,
        ...(read?.options && { options: read.options }),
      });
  }
  return { values, questions };
}

function readAnswer(
  field: Field,
  value: string,
  { now, ...context }: ValueContext & Pick<IntentRequest, "now">,
) {
  const { timeZone } = context;
  if (field.use === "switch") {
    const read = toBoolean(value.trim().toLowerCase());
    return read === undefined ? undefined : ({ kind: "value", value: read } as const);
  }
  const quoted: ValueToken = { kind: "quoted", text: value };
  const isText = field.type === "string" && field.use !== "day" && !isTimeUse(field.use);
  // [TRUST 24] An answer can be a long text, but a number or a date is short.
  if (isText || value.length > maxValueLength) return readFieldValue(field, quoted, context);
  const [only, ...others] = readTokens([{ kind: "own", text: value }], { now, timeZone });
  const isSingle = only !== undefined && others.length === 0 && only.kind !== "mark" && only.kind !== "end";
  return isSingle ? readFieldValue(field, only, context) : readFieldValue(field, quoted, context);
}
