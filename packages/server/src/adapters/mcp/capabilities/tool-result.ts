import type { CallToolResult } from "@modelcontextprotocol/client";
import { CapabilityError, canonical, type Json, type JsonObject } from "@paraph/core";
import type { FaultRule } from "../profile/profile.ts";

/** A tool's answer as its capability puts it out. */
export function toToolOutput({ content, structuredContent }: CallToolResult): JsonObject {
  return JSON.parse(
    JSON.stringify({ content, ...(structuredContent !== undefined && { structuredContent }) }),
  );
}

/** [P8] An error that a tool reports is final, unless the profile knows better. Its words are for the caller. */
export function toToolErrorFault(
  result: CallToolResult,
  rules: readonly FaultRule[],
): CapabilityError | undefined {
  if (result.isError !== true) return undefined;
  const words = readResultText(result);
  const rule = rules.find(({ message }) => words.toLowerCase().includes(message.toLowerCase()));
  return new CapabilityError(
    rule?.kind ?? "permanent",
    "mcp-tool-error",
    words || "The tool says that it failed.",
  );
}

/** What a recipe sees of an answer. */
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

/** Many a server writes its structure as text. */
function parseRecordableJson(text: string): Json | undefined {
  try {
    const value: Json = JSON.parse(text);
    canonical(value);
    return value;
  } catch {
    return undefined;
  }
}
