import type { CallView } from "../../lib/api/api-views.ts";
import { createApiClient } from "../../lib/api/client.ts";
import { type CallerRole, resolveConnection } from "../../lib/api/connection.ts";
import { printCall, toCallExitCode } from "../../lib/calls/place-call.ts";
import { resolveCallId } from "../../lib/calls/resolve-id.ts";
import { CliError } from "../../lib/cli-error.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";

export async function requestWithdrawal(
  context: Context,
  named: string,
  { reason }: { readonly reason?: string },
): Promise<ExitCode> {
  const withdrawAs = (role: CallerRole) =>
    postToCall<CallView>(context, role, named, "withdrawal", { ...(reason !== undefined && { reason }) });
  const call = await withdrawAs("agent").catch((error) => {
    // The agent does not see the requests of people.
    if (error instanceof CliError && ["call-unknown", "no-key"].includes(error.code))
      return withdrawAs("person");
    throw error;
  });
  printResult(context, call);
  return exitCode.ok;
}

export async function resolveCall(
  context: Context,
  named: string,
  finding: string,
  { reason }: { readonly reason: string },
): Promise<ExitCode> {
  const call = await postToCall<CallView>(context, "person", named, "resolution", { finding, reason });
  printResult(context, call);
  return exitCode.ok;
}

/**
 * Asks the external system for the outcome of a call. If the external system cannot report the outcome, the exit code
 * is `unknown`.
 */
export async function probe(context: Context, named: string): Promise<ExitCode> {
  const answer = await postToCall<{ found: string; call: CallView }>(context, "person", named, "probe", {});
  if (context.json) context.output.json(answer);
  else
    context.output.info(
      answer.found === "unsure"
        ? "The external system cannot tell whether the call took effect. Find out another way, then record the result with `paraph resolve`."
        : `The external system reports: ${answer.found}. The result is recorded.`,
    );
  return answer.found === "unsure" ? exitCode.unknown : exitCode.ok;
}

export async function retry(context: Context, named: string): Promise<ExitCode> {
  const call = await postToCall<CallView>(context, "person", named, "retry", {});
  printResult(context, call);
  return toCallExitCode(call);
}

async function postToCall<T>(
  context: Context,
  speaker: CallerRole,
  named: string,
  verb: string,
  body: object,
): Promise<T> {
  const client = createApiClient(await resolveConnection(context, speaker), context.signal);
  const id = await resolveCallId(client, named);
  return client.request<T>(`/v1/calls/${encodeURIComponent(id)}/${verb}`, { method: "POST", body });
}

function printResult(context: Context, call: CallView): void {
  if (context.json) context.output.json(call);
  else printCall(context, call);
}
