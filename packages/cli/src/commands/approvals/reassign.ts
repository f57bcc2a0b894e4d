import { escapeInvisible } from "@paraph/core/escape-invisible";
import type { CallView } from "../../lib/api/api-views.ts";
import { createApiClient } from "../../lib/api/client.ts";
import { resolveConnection } from "../../lib/api/connection.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { findRound } from "./find-round.ts";

/** Reassigns your vote on one approval to another person. */
export async function reassignApproval(context: Context, id: string, to: string): Promise<ExitCode> {
  const client = createApiClient(await resolveConnection(context, "person"), context.signal);
  const { approval, digest } = await findRound(client, id);
  const path = `/v1/approvals/${encodeURIComponent(approval)}/reassign`;
  const call = await client.request<CallView>(path, { method: "POST", body: { digest, to } });
  if (context.json) context.output.json(call);
  else context.output.info(`${escapeInvisible(to)} now votes on ${approval} in your place.`);
  return exitCode.ok;
}
