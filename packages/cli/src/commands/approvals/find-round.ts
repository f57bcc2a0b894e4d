import type { CallView, PastRoundView, RoundView } from "../../lib/api/api-views.ts";
import type { ApiClient } from "../../lib/api/client.ts";
import { resolveApprovalId } from "../../lib/calls/resolve-id.ts";
import { CliError } from "../../lib/cli-error.ts";
import { exitCode } from "../../lib/exit-code.ts";

/** Finds a round by the id of its approval or of its call. The id `last` selects the only open approval. */
export async function findRound(client: ApiClient, id: string): Promise<RoundView> {
  const approval = id.startsWith("call_")
    ? await findApproval(client, id)
    : await resolveApprovalId(client, id);
  const view = await client.request<RoundView | PastRoundView>(
    `/v1/approvals/${encodeURIComponent(approval)}`,
  );
  if (view.kind === "round") return view;
  throw new CliError(
    "approval-changed",
    `The basis or the input changed, so a new approval replaces this one. Review the new one with \`paraph approval ${view.newest}\`.`,
    { exitCode: exitCode.refused },
  );
}

async function findApproval(client: ApiClient, call: string): Promise<string> {
  const { approval } = await client.request<CallView>(`/v1/calls/${encodeURIComponent(call)}`);
  if (approval) return approval.id;
  throw new CliError(
    "approval-unknown",
    `This call has no approval. Run \`paraph show ${call}\` to see the call.`,
  );
}
