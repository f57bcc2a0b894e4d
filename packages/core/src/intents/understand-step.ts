import type { Json } from "../json.ts";
import { type Day, parseDay } from "./calendar.ts";
import {
  chooseObject,
  type Description,
  findDescription,
  listBlockingQuestions,
  namesObject,
  toLookup,
} from "./describe-object.ts";
import { listFields } from "./fields.ts";
import { type FieldRequest, type FilledFields, fillFields } from "./fill-fields.ts";
import { toPrepositionField } from "./lexicon.ts";
import { type CapabilityWords, detectTokenLanguages } from "./match-capability.ts";
import { readAnswers } from "./read-answers.ts";
import type { IntentDraft, IntentQuestion, IntentRequest, UnderstoodStep } from "./understanding.ts";

/** One clause, with the capability that it asks for and the news of the steps before it. */
type StepRequest = Pick<FieldRequest, "clause" | "actionAt" | "words" | "step" | "news">;

/** Understands one clause as a step, as a lookup of the object that it describes, or as questions. */
export function understandStep(clause: StepRequest, request: IntentRequest): UnderstoodStep {
  const { words, step } = clause;
  const fields = listFields(words.capability.contract);
  const filled = fillStep(clause, { fields, describing: [] }, request);
  const description = namesObject(words.capability, filled)
    ? undefined
    : findDescription(words.capability, fields, request.capabilities);
  const described = description && understandDescribed(clause, description, request);
  if (described) return described;
  if (filled.questions.length > 0) {
    const { questions, values } = filled;
    const draft = toDraft(words.name, values, questions);
    return { kind: "questions", questions, ...(draft && { draft }) };
  }
  const input = Object.fromEntries(filled.values);
  // The step tells what an earlier step does, and facts about that step are missing.
  const isPending = clause.news === "" && fields.some(({ use }) => use === "news");
  return isPending ? { kind: "step", capability: words.name, input } : validateStep(words, input, step);
}

function fillStep(
  clause: StepRequest,
  { fields, describing }: Pick<FieldRequest, "fields" | "describing">,
  request: IntentRequest,
  day?: Day,
): FilledFields {
  const { step, words } = clause;
  const given = readAnswers(request, fields, step, day);
  const languages = detectTokenLanguages(clause.clause);
  const { timeZone } = request;
  const filled = fillFields({ ...clause, fields, describing, languages, timeZone, day }, given.values);
  return {
    values: filled.values,
    questions: [...given.questions.map((one) => ({ ...one, capability: words.name })), ...filled.questions],
  };
}

/**
 * Understands a clause that describes its object, such as `move tomorrow's review to 15:00`. Returns undefined if it
 * describes none. Before the lookup, only the description has to be certain.
 */
function understandDescribed(
  clause: StepRequest,
  description: Description,
  request: IntentRequest,
): UnderstoodStep | undefined {
  const { words, step } = clause;
  const { capability, name } = words;
  const finder = request.capabilities.find(({ contract }) => contract.name === description.finder)!;
  const first = fillStep(clause, description, request);
  const lookup = toLookup(description, first, finder, step);
  if (!lookup) return undefined;
  const blocking = listBlockingQuestions(description, first);
  if (blocking.length > 0) {
    // A day that is not certain leaves no doubt about the capability.
    const isDescribed = blocking.every(({ field }) => field !== undefined);
    return {
      kind: "questions",
      questions: blocking,
      ...(isDescribed && { described: { capability: name } }),
    };
  }
  const result = request.found?.find((one) => one.step === step);
  if (!result) return { kind: "lookup", lookup };
  const object = chooseObject(result.objects, request.answers, { ...lookup, capability: name });
  if ("code" in object) return { kind: "questions", questions: [object], described: { capability: name } };

  const day = object.day === undefined ? undefined : parseDay(object.day);
  const { values, questions } = fillStep(clause, description, request, findNewDay(clause) ?? day);
  const open = questions.filter(({ field }) => field === undefined || !Object.hasOwn(object.input, field));
  const own = [...values].filter(([key]) => !description.describing.some((field) => field.name === key));
  const input = { ...Object.fromEntries(own), ...object.input };
  if (open.length > 0) {
    const draft = toDraft(name, new Map(Object.entries(input)), open);
    const described = { capability: name, object: object.label };
    return { kind: "questions", questions: open, described, ...(draft && { draft }) };
  }
  return validateStep(words, input, step, capability.news?.(input, object));
}

/** Returns the day to which the object goes, such as `monday` in `to monday afternoon`, if the words name no time. */
function findNewDay({ clause }: Pick<FieldRequest, "clause">): Day | undefined {
  const languages = detectTokenLanguages(clause);
  const found = clause.find((token, index) => {
    const before = clause[index - 1];
    const isNew = before?.kind === "word" && toPrepositionField(before.lower, languages) === "to";
    return isNew && token.kind === "date" && token.time === undefined && token.days?.length === 1;
  });
  return found?.kind === "date" ? found.days?.[0] : undefined;
}

/** Returns the values that no question is about, unless a question is about more than a field. */
function toDraft(
  capability: string,
  values: ReadonlyMap<string, Json>,
  questions: readonly IntentQuestion[],
): IntentDraft | undefined {
  const asked = new Set(questions.map(({ field }) => field));
  if (asked.has(undefined)) return undefined;
  return { capability, input: Object.fromEntries([...values].filter(([name]) => !asked.has(name))) };
}

/** Validates the input by the capability's own schema, as admission does again later. */
export function validateStep(
  { capability, name }: Pick<CapabilityWords, "capability" | "name">,
  input: Json,
  step: number,
  news?: string,
): UnderstoodStep {
  const parsed = capability.parseInput(input);
  if (parsed.kind === "valid")
    return { kind: "step", capability: name, input, ...(news !== undefined && { news }) };
  return {
    kind: "questions",
    questions: parsed.faults.map((fault) => ({
      code: "field-invalid",
      step,
      capability: name,
      message: `The value does not fit \`${name}\`: ${fault}.`,
    })),
  };
}
