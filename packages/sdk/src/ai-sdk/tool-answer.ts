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
  // The answer describes an edit, because a model that does not learn of the edit repeats its first input.
  const edited = instead && {
    performedInput: toJsonValue(result.input),
    edited:
      "A person edited the input and decided about the edited call. Do not request the original input again.",
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
        ? { ...toReason(result.reason), next: "A person denied this call. Do not request it again." }
        : {
            instructions: result.instructions,
            next: "The call was not performed. Follow the person's `instructions`.",
          };
    case "unknown":
      if (result.finding) return { finding: result.finding };
      return {
        next: "It is unknown whether the call took effect. People are investigating. Do not request it again.",
      };
    default:
      return { code: result.code, next: "The call was not performed." };
  }
}

const pendingAdvice = `Nothing has happened yet. Approvers have to decide first. Paraph then continues the call without you, so do not request it again. Tell the user what the call is waiting for. To get the result, use \`${waitToolName}\` with this call.`;

const ownPendingAdvice = `Nothing has happened yet. The call is not allowed to run yet, so do not request it again. Tell the user what the call is waiting for. Use \`${waitToolName}\` with this call to perform it as soon as it is allowed, and to get the result.`;

/**
 * Omits the link to the approval page, which is for people. A model has no use for the link, and some models would open
 * it.
 */
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
