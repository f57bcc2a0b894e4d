import { type ApiClient, createApiClient } from "../../lib/api/client.ts";
import { resolveConnection } from "../../lib/api/connection.ts";
import type { BacktestLineView, BacktestResultView } from "../../lib/api/policy-views.ts";
import { CliError } from "../../lib/cli-error.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { formatBacktest, formatProgressBar } from "../../lib/render/policy/policy-backtest.ts";
import { parseSince } from "../../lib/terminal/parse-since.ts";
import { loadPolicyCandidate } from "./policy-candidate.ts";

export interface PolicyBacktestOptions {
  readonly since: string;
  readonly replace?: boolean;
  readonly limit: number;
}

/** Evaluates past calls with a candidate policy and shows the rulings. The command changes nothing. */
export async function backtestPolicy(
  context: Context,
  files: readonly string[],
  options: PolicyBacktestOptions,
): Promise<ExitCode> {
  const { output } = context;
  const since = parseSince(options.since, Date.now());
  const candidate = await loadPolicyCandidate(context.folder, files, options.replace === true);
  const client = createApiClient(await resolveConnection(context, "reader"), context.signal);
  const result = await streamBacktest(client, { since, maxDifferences: options.limit, candidate }, context);
  if (context.json) output.json(result);
  else output.data(formatBacktest(result, output.paint));
  return exitCode.ok;
}

/** Shows the progress until the result arrives. */
async function streamBacktest(
  client: ApiClient,
  body: object,
  { output }: Context,
): Promise<BacktestResultView> {
  const begun = performance.now();
  for await (const line of client.lines<BacktestLineView>("/v1/policy/backtest", { method: "POST", body })) {
    switch (line.kind) {
      case "progress":
        output.status(formatProgressBar(line, performance.now() - begun, output.paintInfo));
        break;
      case "result":
        output.status("");
        return line;
      case "failed":
        throw backtestError();
    }
  }
  throw backtestError();
}

function backtestError(): CliError {
  return new CliError(
    "backtest-failed",
    "The backtest was interrupted. Try again, and check the server's log if it fails again.",
  );
}
