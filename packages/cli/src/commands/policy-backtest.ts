import { CliError } from "../cli-error.ts";
import { type Client, clientFor } from "../client.ts";
import { connection } from "../connection.ts";
import type { Context } from "../context.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { policyCandidate } from "../policy-candidate.ts";
import type { BacktestLineView, BacktestResultView } from "../policy-views.ts";
import { backtestText, progressBar } from "../render/policy-backtest.ts";
import { sinceTime } from "../since.ts";

export interface BacktestOptions {
  readonly since: string;
  readonly instead?: boolean;
  readonly limit: number;
}

/** History against a candidate: what each call of the past would have met. Nothing is changed. */
export async function policyBacktest(
  context: Context,
  files: readonly string[],
  options: BacktestOptions,
): Promise<ExitCode> {
  const { output } = context;
  const since = sinceTime(options.since, Date.now());
  const candidate = await policyCandidate(context.folder, files, options.instead === true);
  const client = clientFor(await connection(context, "reader"), context.signal);
  const result = await followed(client, { since, most: options.limit, candidate }, context);
  if (context.json) output.json(result);
  else output.data(backtestText(result, output.paint));
  return exitCode.ok;
}

/** Shows how far it is until the result is there. */
async function followed(client: Client, body: object, { output }: Context): Promise<BacktestResultView> {
  const begun = performance.now();
  for await (const line of client.lines<BacktestLineView>("/v1/policy/backtest", { method: "POST", body })) {
    switch (line.kind) {
      case "progress":
        output.status(progressBar(line, performance.now() - begun, output.paintTalk));
        break;
      case "result":
        output.status("");
        return line;
      case "failed":
        throw brokenOff();
    }
  }
  throw brokenOff();
}

function brokenOff(): CliError {
  return new CliError(
    "backtest-failed",
    "The backtest broke off: try again, and look at the server's log if it stays.",
  );
}
