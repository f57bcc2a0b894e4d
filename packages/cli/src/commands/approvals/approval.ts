import { createApiClient } from "../../lib/api/client.ts";
import { resolveConnection } from "../../lib/api/connection.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { formatApproval } from "../../lib/render/approval.ts";
import { formatCommands } from "../../lib/render/commands.ts";
import { findRound } from "./find-round.ts";

/** Shows one approval in full without deciding it. */
export async function showApproval(context: Context, id: string): Promise<ExitCode> {
  const { output } = context;
  const client = createApiClient(await resolveConnection(context, "person"), context.signal);
  const round = await findRound(client, id);
  if (context.json) output.json(round);
  else output.data(formatApproval(round, output.paint, { now: Date.now(), whole: true }));
  if (!context.json && round.status === "open") {
    const next = [
      [`paraph approve ${round.approval}`, "approve exactly this"],
      [`paraph deny ${round.approval}`, "deny it, so that it has no effect"],
      [`paraph return ${round.approval} --instructions …`, "return it with instructions"],
      [`paraph edit ${round.approval}`, "edit its input"],
      [`paraph comments ${round.call} --ask …`, "ask the agent a question"],
    ] as const;
    output.info(`\n${formatCommands(next, output.paintInfo)}`);
  }
  return exitCode.ok;
}
