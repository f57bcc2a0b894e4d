import { createHash } from "node:crypto";
import { CapabilityError, type JsonObject } from "@paraph/core";
import { z } from "zod";

/**
 * A file as the hook saw it when the agent asked, on a machine that Paraph may not reach. It is part of the input: when the
 * file has changed, the same edit is another request, and people are asked about that one.
 */
export const agentFile = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("absent") }),
  z.strictObject({ kind: z.literal("text"), sha256: z.string(), text: z.string() }),
  z
    .strictObject({ kind: z.literal("unshown"), sha256: z.string().optional(), why: z.string().max(200) })
    .describe("too large, no text, or not readable"),
]);

export type AgentFile = z.output<typeof agentFile>;

/** The text before; undefined where there is no file, or nobody can show it. */
export function readTextBefore(file: AgentFile): string | undefined {
  if (file.kind !== "text") return undefined;
  if (hashText(file.text) === file.sha256) return file.text;
  throw new CapabilityError("permanent", "file-inconsistent", "The file's text is not what its digest says.");
}

/** The facts that a preview rests on. */
export function toFileBasis(file: AgentFile): JsonObject {
  return file.kind === "absent" ? { file: "absent" } : { file: file.sha256 ?? "unshown" };
}

function hashText(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
