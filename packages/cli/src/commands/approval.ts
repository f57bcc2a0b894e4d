import { clientFor } from "../client.ts";
import { connection } from "../connection.ts";
import type { Context } from "../context.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { findRound } from "../find-round.ts";
import { approvalText } from "../render/approval.ts";
import { commands } from "../render/commands.ts";

/** The whole truth about one approval. Looking never decides. */
export async function approval(context: Context, id: string): Promise<ExitCode> {
  const { output } = context;
  const client = clientFor(await connection(context, "person"), context.signal);
  const round = await findRound(client, id);
  if (context.json) output.json(round);
  else output.data(approvalText(round, output.paint, { now: Date.now(), whole: true }));
  if (!context.json && round.status === "open") {
    const next = [
      [`paraph approve ${round.approval}`, "yes, exactly this"],
      [`paraph deny ${round.approval}`, "no, and it has no effect"],
      [`paraph return ${round.approval} --instructions …`, "no, but do this instead"],
      [`paraph edit ${round.approval}`, "ask for something else in its place"],
      [`paraph thread ${round.call} --ask …`, "ask the agent first"],
    ] as const;
    output.say(`\n${commands(next, output.paintTalk)}`);
  }
  return exitCode.ok;
}
