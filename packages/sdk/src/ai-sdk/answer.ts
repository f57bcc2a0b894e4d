import type { JSONValue } from "ai";
import type { CallResult, Pending } from "../result.ts";

/** What a model is told of a call: how it stands, in its own words where people said something, and what to do next. */
export interface Answer {
  readonly status: CallResult["kind"];
  /** The id by which the result can be asked for later. */
  readonly call: string;
  readonly next?: string;
  readonly [more: string]: JSONValue | undefined;
}

export const waitTool = "paraph_wait";

export function answerOf(result: CallResult): Answer {
  const { kind, call, instead } = result;
  // A model that is not told of an edit repeats what it asked for first.
  const edited = instead && {
    performedInput: plain(result.input),
    edited:
      "A person changed the input and decided about that instead. Do not ask for the first input again.",
    ...(instead.editedBy !== undefined && { editedBy: instead.editedBy }),
    ...(instead.reason !== undefined && { editedBecause: instead.reason }),
  };
  return { status: kind, call, ...edited, ...about(result) };
}

function about(result: CallResult): Partial<Answer> {
  switch (result.kind) {
    case "pending":
      return {
        awaiting: plain(awaitingWithoutPage(result)),
        next: result.performer ? ownPatience : patience,
      };
    case "succeeded":
      return { output: plain(result.output) };
    case "failed":
      return { code: result.code, error: plain(result.error) };
    case "refused":
      return {
        code: result.code,
        ...(result.refusal && { why: result.refusal.sentence }),
        next: "Policy does not allow this. Do not try again in another way.",
      };
    case "denied":
      return result.instructions === undefined
        ? { ...said(result.reason), next: "A person said no. Do not ask for it again." }
        : { instructions: result.instructions, next: "Not done. Do as the person says in `instructions`." };
    case "unknown":
      if (result.finding) return { finding: result.finding };
      return { next: "Nobody knows whether it happened; people are finding out. Do not ask for it again." };
    default:
      return { code: result.code, next: "It was not done." };
  }
}

const patience = `Nothing has happened yet. People have been asked and it goes on without you once they have decided, so do not ask for it again. Say what is awaited; \`${waitTool}\` with this call gives the result when it is there.`;

const ownPatience = `Nothing has happened yet. It waits to be let through, so do not ask for it again. Say what is awaited; \`${waitTool}\` with this call does it once it may be done, and gives the result.`;

/** The page is for people: a model has no use for the link, and some would open it. */
function awaitingWithoutPage({ awaiting }: Pending) {
  const { page: _, ...rest } = awaiting;
  return rest;
}

function said(reason: string | undefined): { reason?: string } {
  return reason === undefined ? {} : { reason };
}

/** It came as JSON. */
function plain(value: unknown): JSONValue {
  return (value ?? null) as JSONValue;
}
