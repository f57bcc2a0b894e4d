import { randomUUID } from "node:crypto";
import type { Json, JsonObject } from "@paraph/core";
import { type Client, clientFor } from "../client.ts";
import { connection } from "../connection.ts";
import type { Context } from "../context.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { followPlan } from "../follow-plan.ts";
import { exitCodeFor } from "../place-call.ts";
import { planIn } from "../plan-file.ts";
import { foreseenText } from "../render/foreseen.ts";
import { tellPlan } from "../render/plan-end.ts";
import { waitMs } from "../times.ts";
import type { ForeseenView, PlanView } from "../views.ts";

export interface PlanOptions {
  readonly preview?: boolean;
  /** In place of what the plan says. */
  readonly onFailure?: string;
  readonly wait?: string;
  readonly key?: string;
  readonly purpose?: string;
  readonly session?: string;
}

/** Enough for most plans that need nobody. */
const defaultWaitMs = 60_000;

/** Asks for a plan as the agent, or only shows what it would do. Waits for its steps, but for a person only with `--wait`. */
export async function plan(context: Context, file: string, options: PlanOptions): Promise<ExitCode> {
  const document = overlaid(await planIn(file), options);
  const client = clientFor(await connection(context, "agent"), context.signal);
  return options.preview
    ? foresee(context, client, { plan: document })
    : apply(context, client, document, options);
}

function overlaid(document: Json, { onFailure }: PlanOptions): Json {
  return onFailure === undefined ? document : { ...(document as JsonObject), onFailure };
}

/** Changes nothing and asks nobody: exit 0 where it would be let through or asked about, 3 where it would not. */
export async function foresee(context: Context, client: Client, wanted: object): Promise<ExitCode> {
  const foreseen = await client.ask<ForeseenView>("/v1/previews", { method: "POST", body: wanted });
  if (context.json) context.output.json(foreseen);
  else context.output.data(foreseenText(foreseen, context.output.paint));
  return foreseen.ruling === "block" ? exitCode.refused : exitCode.ok;
}

async function apply(
  context: Context,
  client: Client,
  document: Json,
  { wait, key = randomUUID(), purpose, session }: PlanOptions,
): Promise<ExitCode> {
  const patience = wait === undefined ? undefined : waitMs(wait);
  const opened = await client.ask<PlanView>("/v1/plans", {
    method: "POST",
    idempotencyKey: key,
    body: {
      plan: document,
      ...(purpose !== undefined && { purpose }),
      ...(session !== undefined && { session: { session } }),
    },
  });
  if (!context.json && opened.joined)
    context.output.say("The same is being asked in this session already: this is that plan.");
  // Who waits should know for whom before the wait, not after.
  if (!context.json && opened.waiting?.for === "approval" && patience !== undefined)
    tellPlan(context, opened);
  const ended = await followPlan(context, client, opened.call, {
    ms: patience ?? defaultWaitMs,
    throughApproval: patience !== undefined && patience > 0,
  });
  if (context.json) context.output.json(ended);
  else tellPlan(context, ended);
  return exitCodeFor(ended);
}
