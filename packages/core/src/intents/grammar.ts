import { hasInvisible } from "../escape-invisible.ts";
import type { PlanRequest } from "../plan/plan-document.ts";
import { isTimeZone } from "./calendar.ts";
import { splitClauses } from "./clauses.ts";
import { listBlockingQuestions } from "./describe-object.ts";
import { hasFieldsFor } from "./field-values.ts";
import { listFields } from "./fields.ts";
import type { FieldRequest } from "./fill-fields.ts";
import { separateForeignText, type WordsPart } from "./foreign-text.ts";
import { isNegation } from "./lexicon.ts";
import {
  type CapabilityWords,
  detectTokenLanguages,
  isActionToken,
  matchCapability,
  toCapabilityWords,
} from "./match-capability.ts";
import { readTokens, type Token } from "./tokens.ts";
import { understandStep } from "./understand-step.ts";
import type {
  DraftStep,
  IntentQuestion,
  IntentRequest,
  NotUnderstood,
  Understanding,
  UnderstoodQuestion,
  UnderstoodStep,
} from "./understanding.ts";

/** The version of the grammar. It changes whenever the same words can get another meaning. */
export const grammarVersion = 3;

const maxLength = 10_000;
/** The maximum number of words and values. A quotation counts as one. */
const maxTokens = 1_000;
const maxSteps = 50;
/** The maximum number of capabilities with the same action whose fields are compared with the values. */
const maxAmbiguous = 20;

/**
 * Understands words without a model: the same words always get the same meaning. It returns a plan only if every word
 * has a use and every value is certain. In all other cases it returns questions.
 */
export function understandWithGrammar(request: IntentRequest): Understanding {
  const parts = readParts(request.words);
  if ("kind" in parts) return parts;
  const timeZone =
    request.timeZone !== undefined && isTimeZone(request.timeZone) ? request.timeZone : undefined;
  const tokens = readTokens(parts, { now: request.now, timeZone });
  // [TRUST 24] The time depends on the product of words and fields.
  if (tokens.length > maxTokens)
    return reject(
      "words-too-long",
      `There are more than ${maxTokens} words. Put long texts into quotation marks or files.`,
    );
  const known = request.capabilities.map(toCapabilityWords);
  const clauses = splitClauses(tokens, (token) => isActionToken(token, known));
  if (clauses.length > maxSteps)
    return reject(
      "too-many-steps",
      `The words ask for more than ${maxSteps} steps. Send a plan with \`paraph plan\`.`,
    );
  const steps: (UnderstoodStep | undefined)[] = [];
  for (const clause of clauses) {
    const news = joinNews(steps);
    steps.push(understandClause({ clause, step: steps.length + 1, news }, known, { ...request, timeZone }));
  }
  if (steps.every((step) => step === undefined)) return rejectUnknown();
  return toUnderstanding(steps.map((step, index) => step ?? askForCapability(clauses[index]!, index + 1)));
}

/** [TRUST 35] Returns the requester's own words and the texts that they quote, or the reason to reject the words. */
export function readParts(words: string): readonly WordsPart[] | NotUnderstood {
  if (words.length > maxLength)
    return reject(
      "words-too-long",
      `The words are longer than ${maxLength} characters. Put long texts into files.`,
    );
  const parts = separateForeignText(
    words
      .normalize("NFC")
      .replaceAll("\r\n", "\n")
      .replaceAll(/[\u00A0\u202F]/g, " "),
  );
  if (!parts)
    return reject(
      "quote-unclosed",
      "A quotation mark is not closed, so the end of the quoted text is unknown. Close it.",
    );
  if (parts.some(({ kind, text }) => kind === "own" && hasInvisible(text)))
    return reject(
      "hidden-characters",
      "The words contain invisible characters, which could hide a request. Remove them.",
    );
  return parts.some(({ kind }) => kind === "own")
    ? parts
    : reject("no-words", "There are no words of yours to act on.");
}

/**
 * Returns what the steps so far tell others, as one text. It is empty while facts are missing, and undefined if a step
 * has nothing to tell.
 */
function joinNews(steps: readonly (UnderstoodStep | undefined)[]): string | undefined {
  const news = steps.map((step) => {
    if (step?.kind === "step") return step.news;
    return step?.kind === "lookup" || step?.described ? "" : undefined;
  });
  if (news.length === 0 || news.includes(undefined)) return undefined;
  return news.includes("") ? "" : news.join("\n");
}

function understandClause(
  { clause, step, news }: Pick<FieldRequest, "clause" | "step" | "news">,
  known: readonly CapabilityWords[],
  request: IntentRequest,
): UnderstoodStep | undefined {
  const match = matchCapability(clause, known, detectTokenLanguages(clause));
  if (match.kind === "none") return findNegation(clause, step);
  if (match.kind === "ambiguous") {
    const negated = findNegation(clause, step);
    if (negated) return negated;
  }
  const fill = (words: CapabilityWords) =>
    understandStep({ clause, actionAt: match.at, words, step, news }, request);
  if (match.kind === "found") return fill(match.words);
  // The kinds of the values may leave only one of the capabilities, because only one of them takes such values.
  if (match.options.length > maxAmbiguous) return askWhichCapability(match.options, step);
  const taking = match.options.filter((words) => hasFieldsFor(clause, listFields(words.capability.contract)));
  if (taking.length === 1) return fill(taking[0]!);
  const fitting = taking.map(fill).filter((one) => one.kind !== "questions" || one.described);
  return fitting.length === 1 ? fitting[0]! : askWhichCapability(match.options, step);
}

/** Returns the plan if every step is certain, and all questions otherwise. A part of the words is never planned. */
export function toUnderstanding(steps: readonly UnderstoodStep[]): Understanding {
  const lookups = steps.flatMap((step) => (step.kind === "lookup" ? [step.lookup] : []));
  const questions = steps.flatMap((step) => (step.kind === "questions" ? step.questions : []));
  if (lookups.length > 0 && listBlockingQuestions({ describing: [] }, { questions }).length === 0)
    return { kind: "lookup", lookups };
  if (questions.length > 0) {
    const [only] = steps;
    const draft = steps.length === 1 && only?.kind === "questions" ? only.draft : undefined;
    return { kind: "question", questions, ...(draft && { draft }), ...listDrafts(steps) };
  }
  const planned = steps.flatMap((step) => (step.kind === "step" ? step : []));
  const plan: PlanRequest = {
    version: 1,
    steps: planned.map(({ capability, input }, index) => ({
      id: String(index + 1),
      capability,
      input: { $literal: input },
    })),
  };
  return { kind: "plan", plan };
}

/** Returns the plan so far. It names no capability of a step that could be another one. */
function listDrafts(steps: readonly UnderstoodStep[]): Pick<UnderstoodQuestion, "steps"> {
  const drafts = steps.flatMap((step): readonly DraftStep[] => {
    if (step.kind === "step") return [{ capability: step.capability }];
    return step.kind === "questions" && step.described ? [step.described] : [];
  });
  return drafts.length === steps.length ? { steps: drafts } : {};
}

function askWhichCapability(options: readonly CapabilityWords[], step: number): UnderstoodStep {
  return askOne({
    code: "capability-ambiguous",
    step,
    message: "Several capabilities fit these words. Name the one that you mean.",
    options: options.map(({ name }) => name).slice(0, maxAmbiguous),
  });
}

function findNegation(clause: readonly Token[], step: number): UnderstoodStep | undefined {
  const negation = clause.find((token) => token.kind === "word" && isNegation(token.lower));
  return (
    negation &&
    askOne({
      code: "negated",
      step,
      message: `The words contain \`${negation.text}\`. Say what to do, without conditions or exceptions.`,
    })
  );
}

function askForCapability(clause: readonly Token[], step: number): UnderstoodStep {
  const text = clause.map((token) => (token.kind === "quoted" ? `"${token.text}"` : token.text)).join(" ");
  return askOne({
    code: "capability-unclear",
    step,
    message: `What should happen here: \`${text}\`? Begin with an action of one of your capabilities.`,
  });
}

function askOne(question: IntentQuestion): UnderstoodStep {
  return { kind: "questions", questions: [question] };
}

function rejectUnknown(): NotUnderstood {
  return reject(
    "no-capability",
    "The words name no action that you can request. `paraph capabilities` lists the available ones.",
  );
}

function reject(code: NotUnderstood["code"], message: string): NotUnderstood {
  return { kind: "no", code, message };
}
