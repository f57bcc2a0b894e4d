// This module works offline, like the verification of a receipt.
import { explainRevocation } from "@paraph/core/verify-receipt";
import { readArchive, toArchivePath, type VerifiedArchive } from "@paraph/server/archive-file";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { formatFields } from "../../lib/render/fields.ts";
import { formatTimestamp } from "../../lib/terminal/format-time.ts";
import { loadTrustedKeys, type TrustedKeys } from "./trusted-keys.ts";

/** Verifies an archive with trusted keys: its manifest, its file, and the receipt of every call in it. */
export async function verifyArchiveFile(
  context: Context,
  file: string,
  options: { key?: string },
): Promise<ExitCode> {
  const { output, json } = context;
  const trusted = await loadTrustedKeys(options.key, context);
  const found = await readArchive(toArchivePath(file), trusted.keys).catch((error: unknown) => {
    if (error instanceof Error && error.name === "ParaphError") return error.message;
    throw error;
  });
  if (typeof found === "string") {
    if (json) output.json({ verified: false, reason: found, trustedKeys: trusted.file });
    else
      output.info(
        `${output.paintInfo(["bold", "red"], "not verified")}  ${found}\nDo not rely on the contents of this archive.`,
      );
    return exitCode.failed;
  }
  const { manifest, keyId, keyRevokedAt } = found;
  const warning =
    keyRevokedAt === undefined ? undefined : explainRevocation("archive", formatTimestamp(keyRevokedAt));
  if (json)
    output.json({
      ...{ verified: true, ...manifest, keyId },
      ...(warning && { keyRevokedAt, warning }),
      trustedKeys: trusted.file,
    });
  else output.data(formatArchive(found, trusted, context));
  if (warning) output.info(`\n${output.paintInfo(["bold", "yellow"], "warning")}  ${warning}`);
  return exitCode.ok;
}

function formatArchive(
  { manifest, keyId }: VerifiedArchive,
  trusted: TrustedKeys,
  { output }: Context,
): string {
  const head = `${output.paint(["bold", "green"], "verified")}  ${manifest.tenant}, ${manifest.month}`;
  return `${head}\n\n${formatFields(
    [
      ["calls", `${manifest.calls.length}, each with a valid receipt`],
      ["events", String(manifest.events)],
      ["payloads", manifest.payloads ? "included" : "left out"],
      ["created", formatTimestamp(manifest.createdAt)],
      ["signed by", `${keyId}, trusted by ${trusted.file}`],
    ],
    output.paint,
  )}`;
}
