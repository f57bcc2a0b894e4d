import { type RecordedRestore, recordRestore } from "@paraph/server";
import { usageError } from "../../lib/cli-error.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { formatTimestamp } from "../../lib/terminal/format-time.ts";
import { formatTable, type TableColumn } from "../../lib/terminal/table.ts";
import { explainDatabase, requireOwnerUrl } from "../start/owner-database.ts";

export interface RecordRestoreOptions {
  readonly to: string;
  readonly reason: string;
  readonly database?: string;
  readonly dryRun?: boolean;
}

/** Records that the database was restored from a backup, and freezes every tenant until people thaw it. */
export async function runRecordRestore(context: Context, options: RecordRestoreOptions): Promise<ExitCode> {
  const { output } = context;
  const ownerUrl = requireOwnerUrl(context, options.database);
  const { reason, dryRun = false } = options;
  const to = parseTime(options.to);
  const recorded = await recordRestore(ownerUrl, { to, reason, dryRun }).catch(explainDatabase(ownerUrl));
  if (context.json) output.json({ ...(dryRun && { dryRun }), ...recorded, to: to.getTime() });
  else printRestore(recorded, to, dryRun, context);
  return exitCode.ok;
}

function printRestore(
  { at, tenants }: RecordedRestore,
  to: Date,
  dryRun: boolean,
  { output }: Context,
): void {
  if (tenants.length > 0) output.data(formatTable(columns, tenants, output.paint));
  output.info(
    dryRun
      ? "Every tenant listed would be frozen. Nothing was changed."
      : `The restore to ${formatTimestamp(to.getTime())} is recorded, at ${formatTimestamp(at)}. Every tenant is frozen.`,
  );
  if (!dryRun)
    output.info(
      "Next: `paraph restored evidence FILE…` lists effects that this database does not know. Then start Paraph, and run `paraph thaw FREEZE` in each tenant.",
    );
}

/** Parses the point in time of a restore. A time without a zone would mean another moment on another machine. */
function parseTime(text: string): Date {
  const at = new Date(text);
  const hasZone = /^\d{4}-\d\d-\d\d[T ].*(?:Z|[+-]\d\d:?\d\d)$/i.test(text);
  if (hasZone && at.getTime() <= Date.now()) return at;
  throw usageError(
    `\`${text}\` is not a time in the past with its zone. Use the target of the restore, such as \`2026-03-01T09:30:00Z\`.`,
  );
}

const columns: readonly TableColumn<RecordedRestore["tenants"][number]>[] = [
  { title: "TENANT", text: ({ tenant }) => tenant },
  { title: "OPEN CALLS", text: ({ openCalls }) => String(openCalls), right: true },
  { title: "FREEZE", text: ({ freeze }) => freeze ?? "" },
];
