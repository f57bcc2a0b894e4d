import { createApiClient } from "../../lib/api/client.ts";
import { resolveConnection } from "../../lib/api/connection.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { formatApproval } from "../../lib/render/approval.ts";
import { formatCommands } from "../../lib/render/commands.ts";
import { findRound } from "./find-round.ts";

/** Shows one approval in full. Viewing it never decides. */
export async function showApproval(context: Context, id: string): Promise<ExitCode> {
  const { output } = context;
  const client = createApiClient(await resolveConnection(context, "person"), context.signal);
  const round = await findRound(client, id);
  if (context.json) output.json(round);
  else output.data(formatApproval(round, output.paint, { now: Date.now(), whole: true }));
  if (!context.json && round.status === "open") {
    const next = [
      [`paraph approve ${round.approval}`, "yes, exactly this"],
      [`paraph deny ${round.approval}`, "no, and it has no effect"],
      [`paraph return ${round.approval} --instructions …`, "no, but do this instead"],
      [`paraph edit ${round.approval}`, "ask for something else in its place"],
      [`paraph thread ${round.call} --ask …`, "ask the agent first"],
    ] as const;
    output.info(`\n${formatCommands(next, output.paintInfo)}`);
  }
  return exitCode.ok;
}
