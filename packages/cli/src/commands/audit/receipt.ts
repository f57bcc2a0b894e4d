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
  await writeReceipt(options.output, text);
  const file = escapeInvisible(options.output);
  if (context.json) output.json({ call, file: options.output });
  output.info(`Wrote ${file} (${Buffer.byteLength(text) + 1} bytes).`);
  output.info(`\n${formatCommands([[`paraph verify ${file}`, "verify it offline"]], output.paintInfo)}`);
  return exitCode.ok;
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
