import { createHash } from "node:crypto";
import { CapabilityError, type JsonObject } from "@paraph/core";
import { z } from "zod";

/**
 * The file as the hook read it at the time of the request. The hook supplies it, because Paraph may not be able to read
 * files on the agent's machine. The file is part of the input, so the same edit to a changed file is a new request with
 * its own approval.
 */
export const agentFile = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("absent") }),
  z.strictObject({ kind: z.literal("text"), sha256: z.string(), text: z.string() }),
  z
    .strictObject({ kind: z.literal("unshown"), sha256: z.string().optional(), why: z.string().max(200) })
    .describe("too large, not text, or not readable"),
]);

export type AgentFile = z.output<typeof agentFile>;

/** Returns the text before the edit. Returns undefined if the file does not exist or its content is not included. */
export function readTextBefore(file: AgentFile): string | undefined {
  if (file.kind !== "text") return undefined;
  if (hashText(file.text) === file.sha256) return file.text;
  throw new CapabilityError(
    "permanent",
    "file-inconsistent",
    "The file's text does not match its digest. Read the file again and send a new call.",
  );
}

/** Returns the basis of a preview: the hash of the file, or a fixed word if the file is absent or has no hash. */
export function toFileBasis(file: AgentFile): JsonObject {
  return file.kind === "absent" ? { file: "absent" } : { file: file.sha256 ?? "unshown" };
}

function hashText(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
