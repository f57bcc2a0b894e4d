import { randomUUID } from "node:crypto";
import type { Json, JsonObject } from "@paraph/core";
import type { PlanView, PreviewResultView } from "../../lib/api/api-views.ts";
import { type ApiClient, createApiClient } from "../../lib/api/client.ts";
import { resolveConnection } from "../../lib/api/connection.ts";
import { followPlan } from "../../lib/calls/follow-plan.ts";
import { printReuse, toCallExitCode } from "../../lib/calls/place-call.ts";
import { readPlanFile } from "../../lib/calls/plan-file.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { printPlan } from "../../lib/render/plan-status.ts";
import { formatPreview } from "../../lib/render/preview.ts";
import { parseWait } from "../../lib/terminal/format-time.ts";

export interface PlanOptions {
  readonly preview?: boolean;
  /** Overrides the plan's own setting. */
  readonly onFailure?: string;
  readonly wait?: string;
  readonly key?: string;
  readonly purpose?: string;
  readonly session?: string;
}

/** The default time to wait. It is enough for most plans that need no approval. */
const defaultWaitMs = 60_000;

/**
 * Requests a plan as the agent, or only previews it. After a request, the command waits for the steps, but it waits for
 * an approval only with `--wait`.
 */
export async function applyPlanFile(context: Context, file: string, options: PlanOptions): Promise<ExitCode> {
  const document = overrideOnFailure(await readPlanFile(file), options);
  const client = createApiClient(await resolveConnection(context, "agent"), context.signal);
  return options.preview
    ? showPreview(context, client, { plan: document })
    : requestPlan(context, client, { plan: document }, options);
}

function overrideOnFailure(document: Json, { onFailure }: PlanOptions): Json {
  return onFailure === undefined ? document : { ...(document as JsonObject), onFailure };
}

/**
 * Shows a preview. Nothing changes, and Paraph asks no approver. The exit code is 3 if policy would block the call, and
 * 0 otherwise.
 */
export async function showPreview(context: Context, client: ApiClient, wanted: object): Promise<ExitCode> {
  const foreseen = await client.request<PreviewResultView>("/v1/previews", { method: "POST", body: wanted });
  if (context.json) context.output.json(foreseen);
  else context.output.data(formatPreview(foreseen, context.output.paint));
  return foreseen.ruling === "block" ? exitCode.refused : exitCode.ok;
}

/** Requests a plan, with the record of the words that it came from, if there are any, and waits for its outcome. */
export async function requestPlan(
  context: Context,
  client: ApiClient,
  wanted: { readonly plan: Json | object; readonly intent?: object },
  { wait, key = randomUUID(), purpose, session }: PlanOptions,
): Promise<ExitCode> {
  const patience = wait === undefined ? undefined : parseWait(wait);
  const { call: opened, isReplay } = await client.requestCall<PlanView>("/v1/plans", {
    method: "POST",
    idempotencyKey: key,
    body: {
      ...wanted,
      ...(purpose !== undefined && { purpose }),
      ...(session !== undefined && { session: { session } }),
    },
  });
  if (!context.json) printReuse(context, "plan", opened, isReplay);
  // Shows the awaited approvals before the wait starts.
  if (!context.json && opened.waiting?.for === "approval" && patience !== undefined)
    printPlan(context, opened);
  const ended = await followPlan(context, client, opened.call, {
    ms: patience ?? defaultWaitMs,
    throughApproval: patience !== undefined && patience > 0,
  });
  if (context.json) context.output.json(ended);
  else printPlan(context, ended);
  return toCallExitCode(ended);
}
