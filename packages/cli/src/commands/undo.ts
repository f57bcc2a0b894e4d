import { CliError } from "../cli-error.ts";
import { type Client, clientFor } from "../client.ts";
import { connection } from "../connection.ts";
import type { Context } from "../context.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { follow } from "../follow.ts";
import { followPlan } from "../follow-plan.ts";
import { callNamed } from "../last.ts";
import { exitCodeFor, tellCall } from "../place-call.ts";
import { tellPlan } from "../render/plan-end.ts";
import { waitMs } from "../times.ts";
import type { CallView } from "../views.ts";
import { foresee } from "./plan.ts";

export interface UndoOptions {
  readonly as: "agent" | "person";
  readonly preview?: boolean;
  readonly purpose?: string;
  readonly wait?: string;
}

const defaultWaitMs = 60_000;

/** Takes back what a call or a plan did, as a call of its own: ruled on, previewed and asked about like any. */
export async function undo(context: Context, named: string, options: UndoOptions): Promise<ExitCode> {
  const client = clientFor(await connection(context, options.as), context.signal);
  const id = await callNamed(client, named);
  if (options.preview) {
    const { undo: back } = await client.ask<CallView>(path(id));
    if (typeof back === "object") return foresee(context, client, back);
    throw new CliError(
      "no-undo",
      `There is no way back to be shown: \`paraph show ${id}\` tells the story.`,
      {
        exitCode: exitCode.refused,
      },
    );
  }
  const { purpose } = options;
  const placed = await client.ask<CallView>(`${path(id)}/undo`, {
    method: "POST",
    body: { ...(purpose !== undefined && { purpose }) },
  });
  return awaitEnd(context, client, placed, options.wait);
}

async function awaitEnd(
  context: Context,
  client: Client,
  placed: CallView,
  wait: string | undefined,
): Promise<ExitCode> {
  const patience = wait === undefined ? undefined : waitMs(wait);
  const how = { ms: patience ?? defaultWaitMs, throughApproval: patience !== undefined && patience > 0 };
  if (!placed.links?.plan) {
    const ended = await follow(context, client, placed, how);
    if (context.json) context.output.json(ended);
    else tellCall(context, ended);
    return exitCodeFor(ended);
  }
  const ended = await followPlan(context, client, placed.call, how);
  if (context.json) context.output.json(ended);
  else tellPlan(context, ended);
  return exitCodeFor(ended);
}

const path = (id: string) => `/v1/calls/${encodeURIComponent(id)}`;
