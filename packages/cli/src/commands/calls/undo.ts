import type { CallView } from "../../lib/api/api-views.ts";
import { type ApiClient, createApiClient } from "../../lib/api/client.ts";
import { resolveConnection } from "../../lib/api/connection.ts";
import { followCall } from "../../lib/calls/follow-call.ts";
import { followPlan } from "../../lib/calls/follow-plan.ts";
import { printCall, toCallExitCode } from "../../lib/calls/place-call.ts";
import { resolveCallId } from "../../lib/calls/resolve-id.ts";
import { CliError } from "../../lib/cli-error.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { printPlan } from "../../lib/render/plan-status.ts";
import { parseWait } from "../../lib/terminal/format-time.ts";
import { showPreview } from "./plan.ts";

export interface UndoCallOptions {
  readonly as: "agent" | "person";
  readonly preview?: boolean;
  readonly purpose?: string;
  readonly wait?: string;
}

const defaultWaitMs = 60_000;

/** Requests the undo of a call or a plan. The undo is a separate call, and policy rules on it as on any other call. */
export async function requestUndo(
  context: Context,
  named: string,
  options: UndoCallOptions,
): Promise<ExitCode> {
  const client = createApiClient(await resolveConnection(context, options.as), context.signal);
  const id = await resolveCallId(client, named);
  if (options.preview) {
    const { undo } = await client.request<CallView>(toCallPath(id));
    if (typeof undo === "object") return showPreview(context, client, undo);
    throw new CliError(
      "no-undo",
      `The call offers no undo to preview. Run \`paraph show ${id}\` to see the call.`,
      {
        exitCode: exitCode.refused,
      },
    );
  }
  const { purpose } = options;
  const { call: placed, isReplay } = await client.requestCall<CallView>(`${toCallPath(id)}/undo`, {
    method: "POST",
    body: { ...(purpose !== undefined && { purpose }) },
  });
  if (isReplay && !context.json)
    context.output.info(
      "The undo was requested before. This is the same call, and Paraph does not repeat it.",
    );
  return waitForEnd(context, client, placed, options.wait);
}

async function waitForEnd(
  context: Context,
  client: ApiClient,
  placed: CallView,
  wait: string | undefined,
): Promise<ExitCode> {
  const patience = wait === undefined ? undefined : parseWait(wait);
  const how = { ms: patience ?? defaultWaitMs, throughApproval: patience !== undefined && patience > 0 };
  if (!placed.links?.plan) {
    const ended = await followCall(context, client, placed, how);
    if (context.json) context.output.json(ended);
    else printCall(context, ended);
    return toCallExitCode(ended);
  }
  const ended = await followPlan(context, client, placed.call, how);
  if (context.json) context.output.json(ended);
  else printPlan(context, ended);
  return toCallExitCode(ended);
}

const toCallPath = (id: string) => `/v1/calls/${encodeURIComponent(id)}`;
