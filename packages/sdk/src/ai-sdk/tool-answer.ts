import type { JSONValue } from "ai";
import type { CallResult, Pending } from "../call-result.ts";

/** What a model is told of a call: how it stands, in its own words where people said something, and what to do next. */
export interface ToolCallAnswer {
  readonly status: CallResult["kind"];
  /** The id by which the result can be asked for later. */
  readonly call: string;
  readonly next?: string;
  readonly [more: string]: JSONValue | undefined;
}

export const waitToolName = "paraph_wait";

export function toToolCallAnswer(result: CallResult): ToolCallAnswer {
  const { kind, call, instead } = result;
  // A model that is not told of an edit repeats what it asked for first.
  const edited = instead && {
    performedInput: toJsonValue(result.input),
    edited:
      "A person changed the input and decided about that instead. Do not ask for the first input again.",
    ...(instead.editedBy !== undefined && { editedBy: instead.editedBy }),
    ...(instead.reason !== undefined && { editedBecause: instead.reason }),
  };
  return { status: kind, call, ...edited, ...describeResult(result) };
}

function describeResult(result: CallResult): Partial<ToolCallAnswer> {
  switch (result.kind) {
    case "pending":
      return {
        awaiting: toJsonValue(omitPage(result)),
        next: result.performer ? ownPendingAdvice : pendingAdvice,
      };
    case "succeeded":
      return { output: toJsonValue(result.output) };
    case "failed":
      return { code: result.code, error: toJsonValue(result.error) };
    case "refused":
      return {
        code: result.code,
        ...(result.refusal && { why: result.refusal.sentence }),
        next: "Policy does not allow this. Do not try again in another way.",
      };
    case "denied":
      return result.instructions === undefined
        ? { ...toReason(result.reason), next: "A person said no. Do not ask for it again." }
        : { instructions: result.instructions, next: "Not done. Do as the person says in `instructions`." };
    case "unknown":
      if (result.finding) return { finding: result.finding };
      return { next: "Nobody knows whether it happened; people are finding out. Do not ask for it again." };
    default:
      return { code: result.code, next: "It was not done." };
  }
}

const pendingAdvice = `Nothing has happened yet. People have been asked and it goes on without you once they have decided, so do not ask for it again. Say what is awaited; \`${waitToolName}\` with this call gives the result when it is there.`;

const ownPendingAdvice = `Nothing has happened yet. It waits to be let through, so do not ask for it again. Say what is awaited; \`${waitToolName}\` with this call does it once it may be done, and gives the result.`;

/** The page is for people: a model has no use for the link, and some would open it. */
function omitPage({ awaiting }: Pending) {
  const { page: _, ...rest } = awaiting;
  return rest;
}

function toReason(reason: string | undefined): { reason?: string } {
  return reason === undefined ? {} : { reason };
}

/** It came as JSON. */
function toJsonValue(value: unknown): JSONValue {
  return (value ?? null) as JSONValue;
}
