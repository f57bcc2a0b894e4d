import { createApiClient } from "../../lib/api/client.ts";
import { resolveConnection } from "../../lib/api/connection.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { formatTimestamp } from "../../lib/terminal/format-time.ts";
import { findRound } from "./find-round.ts";

/** Tells the other approvers that this person looks at the request. */
export async function acknowledgeApproval(context: Context, id: string): Promise<ExitCode> {
  const client = createApiClient(await resolveConnection(context, "person"), context.signal);
  const round = await findRound(client, id);
  const done = await client.request<{ approval: string; by: string; until: string }>(
    `/v1/approvals/${round.approval}/acknowledgement`,
    { method: "POST", body: { digest: round.digest } },
  );
  if (context.json) context.output.json(done);
  else
    context.output.info(
      `Recorded. Paraph sends no reminder and does not escalate before ${formatTimestamp(Date.parse(done.until))}.`,
    );
  return exitCode.ok;
}
