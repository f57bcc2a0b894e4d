import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import type { ReceiptBundle } from "@paraph/core";
import { escapeInvisible, escapeInvisibleJson } from "@paraph/core/escape-invisible";
import { createApiClient } from "../../lib/api/client.ts";
import { resolveConnection } from "../../lib/api/connection.ts";
import { resolveCallId } from "../../lib/calls/resolve-id.ts";
import { CliError } from "../../lib/cli-error.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { formatCommands } from "../../lib/render/commands.ts";
import { loadTrustedKeys } from "./trusted-keys.ts";

/**
 * Downloads a call's signed receipt to standard output or a file. The command does not verify the receipt, so the
 * recipient must verify it.
 */
export async function downloadReceipt(
  context: Context,
  id: string,
  options: { output?: string },
): Promise<ExitCode> {
  const { output } = context;
  const client = createApiClient(await resolveConnection(context, "reader"), context.signal);
  const call = await resolveCallId(client, id);
  const bundle = await client.request<ReceiptBundle>(`/v1/calls/${encodeURIComponent(call)}/receipt`, {
    accept: "application/vnd.paraph.receipt.v1+json, application/json",
  });
  const text = escapeInvisibleJson(bundle, 2);
  if (options.output === undefined || options.output === "-") {
    output.data(text);
    return exitCode.ok;
  }
  const isReplaced = existsSync(options.output);
  await writeReceipt(options.output, text);
  const file = escapeInvisible(options.output);
  if (context.json) output.json({ call, file: options.output });
  output.info(`${isReplaced ? "Replaced" : "Wrote"} ${file} (${Buffer.byteLength(text) + 1} bytes).`);
  const next = (await isVerifiableHere(bundle, context))
    ? ([`paraph verify ${file}`, "verify it offline"] as const)
    : ([
        `paraph verify ${file} --key KEYS.json`,
        "verify it offline with the server's public keys (GET /v1/keys)",
      ] as const);
  output.info(`\n${formatCommands([next], output.paintInfo)}`);
  return exitCode.ok;
}

/**
 * Whether `paraph verify` without `--key` finds the key that signed the receipt. A folder of `paraph dev` has only the
 * keys of its own server, and the receipt may come from another one.
 */
async function isVerifiableHere({ envelope }: ReceiptBundle, context: Context): Promise<boolean> {
  const trusted = await loadTrustedKeys(undefined, context).catch(() => undefined);
  const signers = envelope.signatures.map(({ keyid }) => keyid);
  return trusted?.keys.some(({ kid }) => signers.includes(kid)) ?? false;
}

async function writeReceipt(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, `${text}\n`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CliError(
      "not-written",
      `\`${file}\` cannot be written (${code ?? "unknown error"}). Choose another file with \`-o\`.`,
      {
        cause: error,
      },
    );
  }
}
