import { usageError } from "../cli-error.ts";
import { clientFor } from "../client.ts";
import { connection } from "../connection.ts";
import type { Context } from "../context.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { moment } from "../times.ts";

export interface StandInOptions {
  readonly from?: string;
  readonly until: string;
}

/** Names who answers with your groups while you are away. */
export async function standIn(context: Context, person: string, options: StandInOptions): Promise<ExitCode> {
  const client = clientFor(await connection(context, "person"), context.signal);
  const made = await client.ask<{ delegation: string; person: string; standIn: string; until: string }>(
    "/v1/delegations",
    {
      method: "POST",
      body: {
        standIn: person,
        until: instant(options.until, "--until"),
        ...(options.from !== undefined && { from: instant(options.from, "--from") }),
      },
    },
  );
  if (context.json) context.output.json(made);
  else
    context.output.say(
      `${made.standIn} stands in for ${made.person} until ${moment(Date.parse(made.until))}.`,
    );
  return exitCode.ok;
}

/** A day or a moment, in the local time where no zone is said. */
function instant(text: string, option: string): string {
  const at = Date.parse(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00` : text);
  if (Number.isNaN(at))
    throw usageError(`\`${option}\` is a date or a time: 2026-03-08, or 2026-03-08T09:00.`);
  return new Date(at).toISOString();
}
