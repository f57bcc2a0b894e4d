import { CliError } from "./cli-error.ts";
import type { Client } from "./client.ts";
import { exitCode } from "./exit-code.ts";
import { approvalNamed } from "./last.ts";
import type { CallView, PastRoundView, RoundView } from "./views.ts";

/** The round that an approval's id names, or that a call's id leads to, or the only one that waits. */
export async function findRound(client: Client, id: string): Promise<RoundView> {
  const approval = id.startsWith("call_") ? await approvalOf(client, id) : await approvalNamed(client, id);
  const view = await client.ask<RoundView | PastRoundView>(`/v1/approvals/${encodeURIComponent(approval)}`);
  if (view.kind === "round") return view;
  throw new CliError(
    "approval-changed",
    `The world has moved since this was asked, so it was asked again: \`paraph approval ${view.newest}\`.`,
    { exitCode: exitCode.refused },
  );
}

async function approvalOf(client: Client, call: string): Promise<string> {
  const { approval } = await client.ask<CallView>(`/v1/calls/${encodeURIComponent(call)}`);
  if (approval) return approval.id;
  throw new CliError(
    "approval-unknown",
    `Nobody was asked about this call: \`paraph show ${call}\` tells its story.`,
  );
}
