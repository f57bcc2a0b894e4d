import { setTimeout as sleep } from "node:timers/promises";
import { escapeInvisibleJson } from "@paraph/core/escape-invisible";
import type { LoadView } from "../../lib/api/api-views.ts";
import { createApiClient } from "../../lib/api/client.ts";
import { resolveConnection } from "../../lib/api/connection.ts";
import { type CliError, interruptedError, isTemporaryError } from "../../lib/cli-error.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { formatLoad } from "../../lib/render/load.ts";
import { wrapToWidth } from "../../lib/terminal/width.ts";

export interface TopOptions {
  readonly once?: boolean;
}

const refreshMs = 2_000;
const hint = "every 2 s, Ctrl-C to stop";

/**
 * Shows the current load of the tenant, every two seconds until the user interrupts the command. Shows it once with
 * `--once`, or if the output is neither a terminal nor JSON.
 */
export async function showTop(context: Context, { once }: TopOptions): Promise<ExitCode> {
  const { output, json, signal } = context;
  const client = createApiClient(await resolveConnection(context, "reader"), signal);
  const read = () => client.request<LoadView>("/v1/load");
  let load = await read();
  const screen = json || once ? undefined : output.openScreen();
  if (!screen && !json) {
    output.data(formatLoad(load, output.paint));
    return exitCode.ok;
  }
  if (once) {
    output.json(load);
    return exitCode.ok;
  }

  const show = (problem?: CliError) => {
    if (screen) screen.draw(`${formatProblem(context, problem)}${formatLoad(load, output.paint, hint)}`);
    else output.data(escapeInvisibleJson(load));
  };
  try {
    for (show(); ; ) {
      await sleep(refreshMs, undefined, { signal }).catch(() => {
        throw interruptedError();
      });
      try {
        load = await read();
        show();
      } catch (error) {
        if (!screen || !isTemporaryError(error)) throw error;
        show(error);
      }
    }
  } finally {
    screen?.close();
  }
}

function formatProblem({ output: { paint } }: Context, problem: CliError | undefined): string {
  if (!problem) return "";
  const lines = wrapToWidth(`No new numbers: ${problem.message}`, paint.width);
  return `${lines.map((line) => paint("red", line)).join("\n")}\n\n`;
}
