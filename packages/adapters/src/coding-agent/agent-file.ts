import { createHash } from "node:crypto";
import { CapabilityError, type JsonObject } from "@paraph/core";
import { z } from "zod";

/**
 * The file as the hook saw it at the request, on a machine that Paraph may not reach. It is part of the input, so if
 * the file changes, the same edit is a new request with its own approval.
 */
export const agentFile = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("absent") }),
  z.strictObject({ kind: z.literal("text"), sha256: z.string(), text: z.string() }),
  z
    .strictObject({ kind: z.literal("unshown"), sha256: z.string().optional(), why: z.string().max(200) })
    .describe("too large, not text, or not readable"),
]);

export type AgentFile = z.output<typeof agentFile>;

/** Returns the text before the edit, or undefined if there is no file or it is not shown. */
export function readTextBefore(file: AgentFile): string | undefined {
  if (file.kind !== "text") return undefined;
  if (hashText(file.text) === file.sha256) return file.text;
  throw new CapabilityError(
    "permanent",
    "file-inconsistent",
    "The file's text does not match its digest. Read the file again and send a new call.",
  );
}

/** Returns the basis of a preview. */
export function toFileBasis(file: AgentFile): JsonObject {
  return file.kind === "absent" ? { file: "absent" } : { file: file.sha256 ?? "unshown" };
}

function hashText(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
