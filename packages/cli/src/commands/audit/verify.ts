// This module works offline, because a receipt and a public key are enough for the verification. Neither this module
// nor its imports may import a client or a server.
import { readFile } from "node:fs/promises";
import { text as readAll } from "node:stream/consumers";
import type { ReceiptBundle } from "@paraph/core";
import {
  explainReceiptFault,
  explainRevocation,
  type VerifiedReceipt,
  verifyReceipt,
} from "@paraph/core/verify-receipt";
import { CliError, usageError } from "../../lib/cli-error.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { formatReceipt } from "../../lib/render/receipt.ts";
import { formatTimestamp } from "../../lib/terminal/format-time.ts";
import { loadTrustedKeys, type TrustedKeys } from "./trusted-keys.ts";

/** Verifies a receipt with trusted keys and prints its content. */
export async function verifyReceiptFile(
  context: Context,
  file: string,
  options: { key?: string },
): Promise<ExitCode> {
  const bundle = parseReceipt(await readReceiptFile(file), file);
  const trusted = await loadTrustedKeys(options.key, context);
  const found = await verifyReceipt(bundle, trusted.keys).catch(explainReceiptFault);
  return typeof found === "string"
    ? reportNotVerified(context, found, trusted)
    : reportVerified(context, found, bundle as ReceiptBundle, trusted);
}

function reportVerified(
  context: Context,
  found: VerifiedReceipt,
  bundle: ReceiptBundle,
  trusted: TrustedKeys,
): ExitCode {
  const { output, json } = context;
  const warning =
    found.keyRevokedAt === undefined
      ? undefined
      : explainRevocation("receipt", formatTimestamp(found.keyRevokedAt));
  if (json) output.json({ verified: true, ...found, ...(warning && { warning }), trustedKeys: trusted.file });
  else output.data(formatReceipt(found, bundle, trusted.file, output.paint));
  if (warning) output.info(`\n${output.paintInfo(["bold", "yellow"], "warning")}  ${warning}`);
  return exitCode.ok;
}

function reportNotVerified({ output, json }: Context, reason: string, trusted: TrustedKeys): ExitCode {
  if (json) output.json({ verified: false, reason, trustedKeys: trusted.file });
  else
    output.info(
      `${output.paintInfo(["bold", "red"], "not verified")}  ${reason}\nDo not rely on the contents of this receipt.`,
    );
  return exitCode.failed;
}

async function readReceiptFile(file: string): Promise<string> {
  try {
    return file === "-" ? await readAll(process.stdin) : await readFile(file, "utf8");
  } catch (error) {
    throw usageError(
      (error as NodeJS.ErrnoException).code === "ENOENT"
        ? `There is no file \`${file}\`. Run \`paraph receipt CALL -o ${file}\` to download a receipt.`
        : `\`${file}\` cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown error"}).`,
    );
  }
}

/** Parses a receipt. Throws an error that says why the file is not a receipt, if it is something else. */
function parseReceipt(text: string, file: string): unknown {
  const reject = (why: string) =>
    new CliError(
      "receipt-invalid",
      `\`${file}\` is not a receipt, because it ${why}. Pass a file that \`paraph receipt\` wrote.`,
    );
  let bundle: unknown;
  try {
    bundle = JSON.parse(text);
  } catch {
    throw reject("is not JSON");
  }
  const fields = Object(bundle);
  if (!("mediaType" in fields) && !("envelope" in fields)) throw reject("contains other JSON");
  return bundle;
}
