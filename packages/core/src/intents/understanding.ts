import type { Capability } from "../capability/capability.ts";
import type { FoundObject } from "../capability/found-object.ts";
import type { Json, JsonObject } from "../json.ts";
import type { PlanRequest } from "../plan/plan-document.ts";

/** Words with which a requester asks for something, and everything that their meaning may depend on. */
export interface IntentRequest {
  readonly words: string;
  /** The time to which words such as `tomorrow` refer, in milliseconds. */
  readonly now: number;
  /** The requester's IANA time zone. Without it, dates and times in words become a question. */
  readonly timeZone?: string | undefined;
  /** The capabilities that policy could allow the requester. Other capabilities do not exist for the words. */
  readonly capabilities: readonly Capability[];
  /** The requester's answers to earlier questions about the same words. */
  readonly answers?: readonly IntentAnswer[] | undefined;
  /** The results of the lookups that the words led to before. */
  readonly found?: readonly LookupResult[] | undefined;
}

/** The requester's answer to a question about one field of one step. Its whole text is the value. */
export interface IntentAnswer {
  readonly step: number;
  readonly field: string;
  readonly value: string;
}

/** The meaning of the words. Understanding performs nothing: a plan is a proposal that passes ordinary admission. */
export type Understanding = UnderstoodPlan | UnderstoodQuestion | UnderstoodLookup | NotUnderstood;

/** The plan that the words ask for. */
export interface UnderstoodPlan {
  readonly kind: "plan";
  readonly plan: PlanRequest;
}

/** The facts that are missing or ambiguous. Paraph asks the requester and never guesses. */
export interface UnderstoodQuestion {
  readonly kind: "question";
  readonly questions: readonly IntentQuestion[];
  /** The values that are certain already, so that a person can fill in the rest as a form. Only for a single step. */
  readonly draft?: IntentDraft;
  /** The steps of the plan so far, if the capability of each is certain. */
  readonly steps?: readonly DraftStep[];
}

/** A call whose input is not complete. */
export interface IntentDraft {
  readonly capability: string;
  readonly input: JsonObject;
}

/** A step of which facts may be missing. */
export interface DraftStep {
  readonly capability: string;
  /** The object of the step, as its own system names it. */
  readonly object?: string;
}

/** The objects that the words describe. After a lookup of them, the same words are understood again. */
export interface UnderstoodLookup {
  readonly kind: "lookup";
  readonly lookups: readonly ObjectLookup[];
}

/** A read that finds the object of a step, such as the event that `tomorrow's review` means. */
export interface ObjectLookup {
  readonly step: number;
  /** The read capability that finds objects, and its input. */
  readonly capability: string;
  readonly input: Json;
}

/** The objects that fit the description in a step. Without `objects`, the lookup was not possible. */
export interface LookupResult {
  readonly step: number;
  readonly objects?: readonly FoundObject[] | undefined;
}

/** The reason why the words are no request that Paraph can plan. */
export interface NotUnderstood {
  readonly kind: "no";
  readonly code: NotUnderstoodCode;
  readonly message: string;
}

/** A question to the requester. */
export interface IntentQuestion {
  readonly code: IntentQuestionCode;
  /** The number of the step that the question is about, from 1. */
  readonly step: number;
  readonly capability?: string;
  readonly field?: string;
  readonly message: string;
  /** The possible answers, if they are known. */
  readonly options?: readonly string[];
}

export const intentQuestionCodes = [
  "capability-ambiguous",
  "capability-unclear",
  "field-missing",
  "field-invalid",
  "value-ambiguous",
  "value-ungrounded",
  "words-unclear",
  "object-ambiguous",
  "object-unknown",
  "negated",
] as const;
export type IntentQuestionCode = (typeof intentQuestionCodes)[number];

export const notUnderstoodCodes = [
  "no-words",
  "words-too-long",
  "hidden-characters",
  "quote-unclosed",
  "no-capability",
  "too-many-steps",
] as const;
export type NotUnderstoodCode = (typeof notUnderstoodCodes)[number];

/** One step as understood: the capability and its input, or the questions that remain. */
export type UnderstoodStep =
  | {
      readonly kind: "step";
      readonly capability: string;
      readonly input: Json;
      /** One sentence about the step, which a later step can tell others. */
      readonly news?: string;
    }
  | {
      readonly kind: "questions";
      readonly questions: readonly IntentQuestion[];
      /** Missing if a question is not about a field, because the words may then ask for something else. */
      readonly draft?: IntentDraft;
      /** The step so far, if its capability and the description of its object are certain. */
      readonly described?: DraftStep;
    }
  | { readonly kind: "lookup"; readonly lookup: ObjectLookup };
