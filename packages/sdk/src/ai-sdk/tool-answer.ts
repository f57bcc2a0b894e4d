import type { JSONValue } from "ai";
import type { CallResult, Pending } from "../call-result.ts";

/** The answer that a model receives about a call: its status, the reason that people gave, and the next step. */
export interface ToolCallAnswer {
  readonly status: CallResult["kind"];
  /** The id of the call. Use it to fetch the result later. */
  readonly call: string;
  readonly next?: string;
  readonly [more: string]: JSONValue | undefined;
}

/** The name of the tool that waits for a pending call. */
export const waitToolName = "paraph_wait";

/** Converts a call result to the answer for the model, with advice on the next step. */
export function toToolCallAnswer(result: CallResult): ToolCallAnswer {
  const { kind, call, instead } = result;
  // A model that does not learn of an edit repeats its first input.
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

/** The approval page is for people. A model has no use for the link, and some models would open it. */
function omitPage({ awaiting }: Pending) {
  const { page: _, ...rest } = awaiting;
  return rest;
}

function toReason(reason: string | undefined): { reason?: string } {
  return reason === undefined ? {} : { reason };
}

/** The value came as JSON. */
function toJsonValue(value: unknown): JSONValue {
  return (value ?? null) as JSONValue;
}
