import type { CallToolResult } from "@modelcontextprotocol/server";
import {
  type Call,
  isJsonObject,
  isRetryable,
  type Json,
  type JsonObject,
  lastEvent,
  type OutcomeKind,
} from "@paraph/core";
import { findRefusal } from "../../services/refusal.ts";

/**
 * Returns a closed call as a tool result. The result contains the output, or the reason why the call ended, in words
 * that tell a model what to do. `isMcp` means that the output is the result of an MCP server.
 */
export function toClosedResult(call: Call, isMcp: boolean): CallToolResult {
  const answer = toOutcomeResult(call, isMcp);
  if (call.editedBy === undefined) return answer;
  const now = JSON.stringify(call.payloads.input?.value ?? null);
  return addNote(
    answer,
    `A person edited the input before the call was performed. The new input is: ${now}.`,
  );
}

/**
 * Adds a note to a tool's result. Some clients show their model the text, and others show only the structured data if
 * it is present. The note therefore goes into both.
 */
export function addNote(answer: CallToolResult, note: string): CallToolResult {
  const { content, structuredContent } = answer;
  const withText = { ...answer, content: [{ type: "text" as const, text: note }, ...content] };
  if (structuredContent === undefined) return withText;
  const { [noteKey]: before, ...own } = structuredContent as JsonObject;
  const notes = typeof before === "string" ? `${note} ${before}` : note;
  return { ...withText, structuredContent: { [noteKey]: notes, ...own } };
}

const noteKey = "dev.paraph/note";

/**
 * The schema of data with a note. It keeps a result with a note valid, regardless of how strict the tool's own schema
 * is.
 */
export const noteSchema: JsonObject = {
  type: "object",
  properties: { [noteKey]: { type: "string" } },
  required: [noteKey],
};

function toOutcomeResult(call: Call, isMcp: boolean): CallToolResult {
  const kind = call.outcome?.kind ?? "unknown";
  const _meta = {
    ...{ "dev.paraph/call": call.call, "dev.paraph/outcome": kind },
    ...(kind === "failed" && { "dev.paraph/retryable": isRetryable(call) }),
  };
  if (kind !== "succeeded") return { ...toTextResult(outcomeMessages[kind](call)), isError: true, _meta };
  const output = call.payloads.output?.value ?? null;
  return { ...(isMcp ? (readServerResult(output) ?? toToolResult(output)) : toToolResult(output)), _meta };
}

/** Returns an error result for a request that did not become a call, or for a call that was not found. */
export function toErrorResult(sentence: string): CallToolResult {
  return { ...toTextResult(sentence), isError: true };
}

/** Returns an output as a tool result, as text and as structured data. */
export function toToolResult(output: Json): CallToolResult {
  const structured = isJsonObject(output) ? output : { result: output };
  return {
    content: [{ type: "text", text: typeof output === "string" ? output : JSON.stringify(output) }],
    structuredContent: structured,
  };
}

/** Returns the result of another MCP server unchanged, so that images stay images. */
function readServerResult(output: Json): CallToolResult | undefined {
  if (!isJsonObject(output) || !Array.isArray(output.content)) return undefined;
  const { content, structuredContent } = output;
  return {
    content: content as CallToolResult["content"],
    ...(isJsonObject(structuredContent ?? null) && { structuredContent: structuredContent as JsonObject }),
  };
}

const outcomeMessages: Record<Exclude<OutcomeKind, "succeeded">, (call: Call) => string> = {
  refused: (call) =>
    `Refused by policy. ${describeRefusal(call)}Nothing was done. A repeated request would be refused again.`,
  denied: (call) =>
    call.outcome?.code === "returned"
      ? `Returned by a person with instructions: ${readReason(call) ?? "none were given"}. Nothing was done.`
      : `Denied by a person${formatReason(readReason(call))}. Nothing was done. Do not repeat the request.`,
  expired: () => "The approval expired without a decision. Nothing was done.",
  cancelled: () => "The call was withdrawn. Nothing was done.",
  superseded: (call) => `Another call${formatSuccessor(call)} replaced this one. Wait for that call.`,
  failed: (call) =>
    `The call failed (\`${call.outcome?.code}\`)${formatReason(toText(call.payloads.error?.value))}. ${isRetryable(call) ? "The same request may succeed later." : "Do not repeat the same request."}`,
  unknown: () =>
    "It is unknown whether the call took effect. A person must find out. Do not repeat the call, because it could then take effect twice.",
};

function describeRefusal(call: Call): string {
  const refusal = findRefusal(call);
  if (!refusal) return "";
  const { sentence, policies } = refusal;
  const ids = policies.map((id) => `\`${id}\``).join(", ");
  return `${sentence === "" ? "" : `${sentence} `}${ids === "" ? "No policy permits it. " : `Policy: ${ids}. `}`;
}

function formatSuccessor({ events }: Call): string {
  const by = lastEvent(events, "closed")?.data.successor;
  return by === undefined ? "" : ` (\`${by}\`)`;
}

function readReason({ payloads }: Call): string | undefined {
  return toText(payloads.reason?.value);
}

function toText(value: Json | undefined): string | undefined {
  return value === undefined ? undefined : typeof value === "string" ? value : JSON.stringify(value);
}

function formatReason(text: string | undefined): string {
  return text === undefined || text === "" ? "" : `: ${text}`;
}

function toTextResult(text: string): CallToolResult {
  return { content: [{ type: "text", text }] };
}
