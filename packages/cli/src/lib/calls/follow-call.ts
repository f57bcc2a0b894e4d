import type { CallView } from "../api/api-views.ts";
import type { ApiClient } from "../api/client.ts";
import { CliError, isTemporaryError } from "../cli-error.ts";
import type { Context } from "../context.ts";
import { exitCode } from "../exit-code.ts";
import { formatDuration } from "../terminal/format-time.ts";
import { watchProgress } from "./watch-progress.ts";

/**
 * The time for which the server may hold one request. It is short, so that the status line soon shows when the call
 * starts to wait for another event.
 */
const pollMs = 2_000;

/**
 * Waits for a call that the server has recorded. If the server is lost meanwhile, or the user interrupts the wait, the
 * error says what is recorded instead of how to reach a server. `recorded` is a sentence.
 */
export async function explainEndOfWait<T>(
  recorded: string,
  call: string,
  wait: () => Promise<T>,
): Promise<T> {
  try {
    return await wait();
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const show = `Run \`paraph show ${call}\` to see its status.`;
    if (error.exitCode === exitCode.interrupted)
      throw new CliError("interrupted", `The call continues. ${show}`, { exitCode: exitCode.interrupted });
    if (!isTemporaryError(error)) throw error;
    const message = `${recorded} Then the connection to Paraph was lost. The call continues when Paraph runs again. ${show}`;
    throw new CliError(error.code, message, { exitCode: exitCode.pending, cause: error });
  }
}

/**
 * Waits until the call is closed, the call waits for the agent, or `ms` have passed. Without `throughApproval`, the
 * function also returns when the call waits for an approver, because an approval may take long.
 */
export async function followCall(
  context: Context,
  client: ApiClient,
  call: CallView,
  options: { readonly ms: number; readonly throughApproval: boolean },
): Promise<CallView> {
  const { output } = context;
  const start = performance.now();
  let view = call;
  const isOver = () => view.state === "closed" || view.waiting?.for === "agent";
  const tell = () => {
    const passed = performance.now() - start;
    const words = progress?.text ? `: ${progress.text}` : "";
    if (passed > 500)
      output.status(output.paintInfo("dim", `${describeWaiting(view)}${words} … ${formatDuration(passed)}`));
  };
  const progress = context.json || isOver() ? undefined : watchProgress(context, client, call.call, tell);
  try {
    for (;;) {
      const left = options.ms - (performance.now() - start);
      const asking = view.waiting?.for === "approval";
      if (isOver() || left <= 0 || (asking && !options.throughApproval)) break;
      tell();
      view = await client.request<CallView>(`/v1/calls/${encodeURIComponent(view.call)}`, {
        waitMs: Math.min(left, pollMs),
      });
    }
  } finally {
    await progress?.stop();
  }
  output.status("");
  return view;
}

export function describeWaiting({ waiting }: CallView): string {
  switch (waiting?.for) {
    case "approval":
      return "waiting for approval";
    case "check":
      return "running checks";
    case "thaw":
      return "frozen until it is thawed";
    case "lock":
      return "waiting for another call to finish";
    case "retry":
      return "waiting for a retry";
    case "agent":
      return "waiting for the agent to perform it";
    case "steps":
      return "running its steps";
    case "preview":
      return "previewing";
    case "stuck":
      return "stuck until a person retries it";
    default:
      return "running";
  }
}
