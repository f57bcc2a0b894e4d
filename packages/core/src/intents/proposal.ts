import { isJsonObject, type Json } from "../json.ts";
import { listFields } from "./fields.ts";
import { readParts, toUnderstanding } from "./grammar.ts";
import { createGrounds, findUngrounded, findUnusedValues, type Grounds } from "./grounds.ts";
import { isNegation } from "./lexicon.ts";
import { readAnswers } from "./read-answers.ts";
import { validateStep } from "./understand-step.ts";
import type { IntentQuestion, IntentRequest, Understanding, UnderstoodStep } from "./understanding.ts";

/** The steps that a model proposes for words, or its questions. Nothing in it is trusted. */
export interface IntentProposal {
  readonly steps: readonly { readonly capability: string; readonly input: Json }[];
  readonly questions: readonly { readonly step: number; readonly field: string; readonly message: string }[];
}

const maxQuestionLength = 500;

/**
 * [TRUST 35] Returns the words as a model may read them: the requester's own words, with a placeholder for each
 * quotation. Returns undefined if a model must not interpret the words, because they are rejected, negate or condition
 * something, or have an ambiguous value that only the requester can settle.
 */
export function redactWords(words: string, grammar: Understanding): string | undefined {
  const isSettled =
    grammar.kind === "no"
      ? grammar.code !== "no-capability"
      : grammar.kind !== "question" ||
        grammar.questions.some(({ code }) => code === "negated" || code === "value-ambiguous");
  const parts = readParts(words);
  if (isSettled || "kind" in parts) return undefined;
  const own = parts.flatMap(({ kind, text }) =>
    kind === "own" ? text.toLowerCase().split(/[^\p{L}'’]+/u) : [],
  );
  if (own.some(isNegation)) return undefined;
  let quotes = 0;
  return parts
    .map(({ kind, text }) => {
      if (kind === "own") return text;
      quotes += 1;
      return formatPlaceholder(quotes);
    })
    .join("");
}

/**
 * [TRUST 35] Turns a model's proposal into a plan, if every value occurs in the requester's own words or is a whole
 * quotation. Other values become questions. Returns undefined if the proposal is empty.
 */
export function checkProposal(request: IntentRequest, proposal: IntentProposal): Understanding | undefined {
  if (proposal.questions.length > 0) {
    const questions = proposal.questions.map(({ step, field, message }): IntentQuestion => {
      const capability = proposal.steps[step - 1]?.capability;
      return {
        code: field === "" ? "words-unclear" : "field-missing",
        step,
        ...(capability !== undefined && { capability }),
        ...(field !== "" && { field }),
        message: message.slice(0, maxQuestionLength),
      };
    });
    return { kind: "question", questions };
  }
  if (proposal.steps.length === 0) return undefined;
  const grounds = createGrounds(request);
  const steps = proposal.steps.map((step, index) => checkStep(request, grounds, step, index + 1));
  const unused = findUnusedValues(
    steps.flatMap((step) => (step.kind === "step" ? step : [])),
    grounds,
  );
  const isComplete = steps.every(({ kind }) => kind === "step");
  return toUnderstanding(isComplete && unused.length > 0 ? [...steps, askAboutUnused(unused)] : steps);
}

/** A value without a use is part of a condition or of a step that the model overlooked. */
function askAboutUnused(unused: readonly string[]): UnderstoodStep {
  const list = unused.map((text) => `\`${text}\``).join(", ");
  return ask({
    code: "words-unclear",
    step: 1,
    message: `The plan would not use these values: ${list}. Say what to do with them.`,
  });
}

function checkStep(
  request: IntentRequest,
  grounds: Grounds,
  { capability: name, input }: IntentProposal["steps"][number],
  step: number,
): UnderstoodStep {
  const capability = request.capabilities.find(({ contract }) => contract.name === name);
  if (!capability || !isJsonObject(input))
    return ask({
      code: "capability-unclear",
      step,
      message: "Name the capability for this step. `paraph capabilities` lists those that you can request.",
    });
  const fields = listFields(capability.contract);
  const given = readAnswers(request, fields, step);
  const filled: Record<string, Json> = {};
  const questions: IntentQuestion[] = given.questions.map((one) => ({ ...one, capability: name }));
  for (const [key, proposed] of Object.entries(input)) {
    const value = fillPlaceholders(proposed, grounds.quotes);
    filled[key] = value;
    const field = fields.find((one) => one.name === key);
    const doubt = given.values.has(key) ? undefined : findUngrounded(value, grounds, field);
    if (doubt === undefined) continue;
    questions.push({
      code: "value-ungrounded",
      step,
      capability: name,
      field: key,
      message: `Your words do not state \`${key}\`. Should it be \`${doubt}\`?`,
      options: [doubt],
    });
  }
  for (const [key, value] of given.values) filled[key] = value;
  return questions.length > 0
    ? { kind: "questions", questions }
    : validateStep({ capability, name }, filled, step);
}

function fillPlaceholders(value: Json, quotes: readonly string[]): Json {
  if (typeof value === "string") {
    const number = /^\[\[quote (\d{1,4})\]\]$/.exec(value)?.[1];
    return number === undefined ? value : (quotes[Number(number) - 1] ?? value);
  }
  if (Array.isArray(value)) return value.map((item) => fillPlaceholders(item, quotes));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, fillPlaceholders(member, quotes)]),
  );
}

function formatPlaceholder(number: number): string {
  return `[[quote ${number}]]`;
}

function ask(question: IntentQuestion): UnderstoodStep {
  return { kind: "questions", questions: [question] };
}
