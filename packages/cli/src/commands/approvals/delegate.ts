import { createApiClient } from "../../lib/api/client.ts";
import { resolveConnection } from "../../lib/api/connection.ts";
import { usageError } from "../../lib/cli-error.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { formatTimestamp } from "../../lib/terminal/format-time.ts";

export interface DelegateOptions {
  readonly from?: string;
  readonly until: string;
}

/**
 * Names a delegate who may vote in your place while you are absent. The delegate's votes then also count in your
 * groups.
 */
export async function createDelegation(
  context: Context,
  person: string,
  options: DelegateOptions,
): Promise<ExitCode> {
  const client = createApiClient(await resolveConnection(context, "person"), context.signal);
  const made = await client.request<{ delegation: string; person: string; delegate: string; until: string }>(
    "/v1/delegations",
    {
      method: "POST",
      body: {
        delegate: person,
        until: parseTime(options.until, "--until"),
        ...(options.from !== undefined && { from: parseTime(options.from, "--from") }),
      },
    },
  );
  if (context.json) context.output.json(made);
  else
    context.output.info(
      `${made.delegate} is the delegate of ${made.person} until ${formatTimestamp(Date.parse(made.until))}.`,
    );
  return exitCode.ok;
}

/** Parses a date or a time. If the text has no time zone, the function uses local time. */
function parseTime(text: string, option: string): string {
  const at = Date.parse(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00` : text);
  if (Number.isNaN(at))
    throw usageError(`\`${option}\` must be a date or a time, such as 2026-03-08 or 2026-03-08T09:00.`);
  return new Date(at).toISOString();
}
