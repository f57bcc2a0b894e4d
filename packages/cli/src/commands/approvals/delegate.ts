import { createApiClient } from "../../lib/api/client.ts";
import { resolveConnection } from "../../lib/api/connection.ts";
import { usageError } from "../../lib/cli-error.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { formatTimestamp } from "../../lib/terminal/format-time.ts";
import { formatTable, type TableColumn } from "../../lib/terminal/table.ts";

interface DelegationView {
  readonly delegation: string;
  readonly person: string;
  readonly delegate: string;
  readonly from: string;
  readonly until: string;
}

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
  const made = await client.request<DelegationView>("/v1/delegations", {
    method: "POST",
    body: {
      delegate: person,
      until: parseTime(options.until, "--until"),
      ...(options.from !== undefined && { from: parseTime(options.from, "--from") }),
    },
  });
  if (context.json) context.output.json(made);
  else
    context.output.info(
      `${made.delegate} is the delegate of ${made.person} until ${formatTimestamp(Date.parse(made.until))}.`,
    );
  return exitCode.ok;
}

/** Lists the current and future delegations that concern you. Administrators see all. */
export async function showDelegations(context: Context): Promise<ExitCode> {
  const { output } = context;
  const client = createApiClient(await resolveConnection(context, "person"), context.signal);
  const found = await client.request<{ delegations: DelegationView[] }>("/v1/delegations");
  if (context.json) output.json(found);
  else if (found.delegations.length === 0) output.info("There are no delegations.");
  else output.data(formatTable(delegationColumns, found.delegations, output.paint));
  return exitCode.ok;
}

const delegationColumns: readonly TableColumn<DelegationView>[] = [
  { title: "ID", text: ({ delegation }) => delegation },
  { title: "PERSON", text: ({ person }) => person, flexible: true },
  { title: "DELEGATE", text: ({ delegate }) => delegate, flexible: true },
  { title: "FROM", text: ({ from }) => formatTimestamp(Date.parse(from)) },
  { title: "UNTIL", text: ({ until }) => formatTimestamp(Date.parse(until)) },
];

/** Ends a delegation early. */
export async function endDelegation(context: Context, delegation: string): Promise<ExitCode> {
  const client = createApiClient(await resolveConnection(context, "person"), context.signal);
  await client.request(`/v1/delegations/${encodeURIComponent(delegation)}`, { method: "DELETE" });
  if (context.json) context.output.json({ delegation });
  else context.output.info(`The delegation ${delegation} has ended.`);
  return exitCode.ok;
}

/** Parses a date or a time. If the text has no time zone, the function uses local time. */
function parseTime(text: string, option: string): string {
  const at = Date.parse(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00` : text);
  if (Number.isNaN(at))
    throw usageError(`\`${option}\` must be a date or a time, such as 2026-03-08 or 2026-03-08T09:00.`);
  return new Date(at).toISOString();
}
