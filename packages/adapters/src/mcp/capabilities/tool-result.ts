import type { CallToolResult } from "@modelcontextprotocol/client";
import { CapabilityError, canonical, type Json, type JsonObject } from "@paraph/core";
import type { FaultRule } from "../profile/profile.ts";

/** Converts a tool's answer to the output of its capability. */
export function toToolOutput({ content, structuredContent }: CallToolResult): JsonObject {
  return JSON.parse(
    JSON.stringify({ content, ...(structuredContent !== undefined && { structuredContent }) }),
  );
}

/**
 * [P8] Converts a tool's error to a permanent fault, unless a rule of the profile sets another kind. The fault contains
 * the tool's text for the caller.
 */
export function toToolErrorFault(
  result: CallToolResult,
  rules: readonly FaultRule[],
): CapabilityError | undefined {
  if (result.isError !== true) return undefined;
  const words = readResultText(result);
  const rule = rules.find(({ says }) => words.toLowerCase().includes(says.toLowerCase()));
  return new CapabilityError(
    rule?.kind ?? "permanent",
    "mcp-tool-error",
    words || "The tool reported an error without a message.",
  );
}

/** Converts an answer to the value that templates of a recipe can use. */
export function toReadResult(result: CallToolResult): JsonObject {
  const text = readResultText(result);
  const structured = (result.structuredContent ?? parseRecordableJson(text)) as Json | undefined;
  const resource = result.content.find((each) => each.type === "resource")?.resource;
  return {
    exists: true,
    text,
    ...(structured !== undefined && { structured }),
    ...(resource && "text" in resource && { resource: resource.text }),
  };
}

export function readResultText({ content }: CallToolResult): string {
  return content.flatMap((each) => (each.type === "text" ? [each.text] : [])).join("\n");
}

/** Parses JSON from text, because many servers return their structured content only as text. */
function parseRecordableJson(text: string): Json | undefined {
  try {
    const value: Json = JSON.parse(text);
    canonical(value);
    return value;
  } catch {
    return undefined;
  }
}
