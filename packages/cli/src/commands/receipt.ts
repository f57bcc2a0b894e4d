import { writeFile } from "node:fs/promises";
import type { ReceiptBundle } from "@paraph/core";
import { escapeInvisible, escapeInvisibleJson } from "@paraph/core/escape-invisible";
import { CliError } from "../cli-error.ts";
import { clientFor } from "../client.ts";
import { connection } from "../connection.ts";
import type { Context } from "../context.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { callNamed } from "../last.ts";
import { commands } from "../render/commands.ts";

/** The signed story of a call, to standard output or a file. It is not verified here: that is for its reader. */
export async function receipt(context: Context, id: string, options: { output?: string }): Promise<ExitCode> {
  const { output } = context;
  const client = clientFor(await connection(context, "reader"), context.signal);
  const call = await callNamed(client, id);
  const bundle = await client.ask<ReceiptBundle>(`/v1/calls/${encodeURIComponent(call)}/receipt`, {
    accept: "application/vnd.paraph.receipt.v1+json, application/json",
  });
  const text = escapeInvisibleJson(bundle, 2);
  if (options.output === undefined || options.output === "-") {
    output.data(text);
    return exitCode.ok;
  }
  await write(options.output, text);
  const file = escapeInvisible(options.output);
  if (context.json) output.json({ call, file: options.output });
  output.say(`Wrote ${file} (${Buffer.byteLength(text) + 1} bytes).`);
  output.say(`\n${commands([[`paraph verify ${file}`, "needs no server"]], output.paintTalk)}`);
  return exitCode.ok;
}

async function write(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, `${text}\n`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CliError(
      "not-written",
      `\`${file}\` cannot be written (${code ?? "unknown error"}): choose another with \`-o\`.`,
      {
        cause: error,
      },
    );
  }
}
