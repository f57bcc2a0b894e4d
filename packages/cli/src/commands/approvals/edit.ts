import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Json } from "@paraph/core";
import { escapeInvisibleJson } from "@paraph/core/escape-invisible";
import type { CallView, RoundView } from "../../lib/api/api-views.ts";
import { createApiClient } from "../../lib/api/client.ts";
import { resolveConnection } from "../../lib/api/connection.ts";
import { readCallInput } from "../../lib/calls/call-input.ts";
import { printCall } from "../../lib/calls/place-call.ts";
import { usageError } from "../../lib/cli-error.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { requireOpen } from "./decide.ts";
import { findRound } from "./find-round.ts";

export interface EditOptions {
  readonly input?: string;
  /** The step to edit, if the call is a plan. */
  readonly step?: string;
  readonly reason?: string;
}

/** Changes the requested input. The edit is a new call, which another person must approve. */
export async function editApproval(context: Context, id: string, options: EditOptions): Promise<ExitCode> {
  const client = createApiClient(await resolveConnection(context, "person"), context.signal);
  const round = await findRound(client, id);
  requireOpen(round);
  const { step, reason } = options;
  const input =
    options.input === undefined
      ? await editInEditor(context, findInput(round, step))
      : await readInput(options.input);
  const next = await client.request<CallView>(`/v1/approvals/${encodeURIComponent(round.approval)}/edit`, {
    method: "POST",
    body: {
      digest: round.digest,
      input,
      ...(step !== undefined && { step }),
      ...(reason !== undefined && { reason }),
    },
  });
  if (context.json) context.output.json(next);
  else printCall(context, next);
  return exitCode.ok;
}

/** Returns the requested input. If `step` is set, returns the input of that step of the plan. */
function findInput({ input = null }: RoundView, step: string | undefined): Json {
  if (step === undefined) return input;
  const { steps = [] } = input as unknown as { readonly steps?: readonly { id: string; input: Json }[] };
  const one = steps.find(({ id }) => id === step);
  if (one) return one.input;
  throw usageError(`This approval has no step \`${step}\`. Run \`paraph approval ID\` to see its steps.`);
}

/** Reads the input from a file or from standard input (`-`), or parses the text itself as JSON. */
function readInput(text: string): Promise<Json> {
  return /^\s*[{["]/.test(text) ? readCallInput([text], undefined) : readCallInput([], text);
}

/**
 * Opens the input in an editor. Sensitive values are masked. If the person leaves a masked value unchanged, its
 * original value stays.
 */
async function editInEditor({ environment, question }: Context, input: Json): Promise<Json> {
  const editor = environment.VISUAL || environment.EDITOR;
  if (!editor || !question)
    throw usageError(
      "No editor is set, or this is not an interactive terminal. Set EDITOR, or pass the whole input with `--input`.",
    );
  const folder = await mkdtemp(join(tmpdir(), "paraph-edit-"));
  try {
    const file = join(folder, "input.json");
    const before = `${escapeInvisibleJson(input, 2)}\n`;
    await writeFile(file, before, { mode: 0o600 });
    const [command = "", ...args] = editor.split(/\s+/).filter((word) => word !== "");
    await new Promise<void>((resolve, reject) => {
      const child = spawn(command, [...args, file], { stdio: "inherit" });
      child.once("error", () =>
        reject(
          usageError(
            `Paraph could not start the editor \`${command}\`. Set VISUAL or EDITOR to an installed editor, or pass the whole input with \`--input\`.`,
          ),
        ),
      );
      child.once("exit", (code) =>
        code === 0
          ? resolve()
          : reject(
              usageError(
                "The editor exited with an error, so nothing was changed. Run the command again, or pass the whole input with `--input`.",
              ),
            ),
      );
    });
    const after = await readFile(file, "utf8");
    if (after === before) throw usageError("The input did not change, so nothing was sent.");
    return await readCallInput([], file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
