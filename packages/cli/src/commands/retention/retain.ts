import { resolve } from "node:path";
import { countArchivable, type RetainResult, type RetainStep, retainCalls } from "@paraph/server";
import { CliError } from "../../lib/cli-error.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { askYesNo } from "../../lib/terminal/ask-yes-no.ts";
import { formatCount } from "../../lib/terminal/format-count.ts";
import { formatTimestamp } from "../../lib/terminal/format-time.ts";
import { parseSince } from "../../lib/terminal/parse-since.ts";
import { formatTable, type TableColumn } from "../../lib/terminal/table.ts";
import { explainDatabase } from "../start/owner-database.ts";
import { openSigner } from "../start/signing-key.ts";
import { type OwnerTenantOptions, resolveOwnerTenant } from "./owner-tenant.ts";

export interface RetainCommandOptions extends OwnerTenantOptions {
  readonly before: string;
  readonly to: string;
  readonly withoutPayloads?: boolean;
  readonly signingKey?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** Archives old closed calls in signed files, and deletes them from the database. */
export async function retain(context: Context, options: RetainCommandOptions): Promise<ExitCode> {
  const { output, environment, folder } = context;
  const before = Date.parse(parseSince(options.before, Date.now()));
  const scope = { ...(await resolveOwnerTenant(context, options)), before };
  const explain = explainDatabase(scope.ownerUrl);
  if (options.dryRun) {
    const calls = await countArchivable(scope).catch(explain);
    if (context.json) output.json({ calls, before, dryRun: true });
    else output.data(`${formatCount(calls, "call")} would be archived. Nothing was changed.`);
    return exitCode.ok;
  }
  const signer = openSigner(environment, {
    ...(options.signingKey !== undefined && { signingKey: options.signingKey }),
  });
  const to = resolve(folder, options.to);
  await confirm(context, options, { before, to });
  const result = await retainCalls({
    ...{ ...scope, folder: to, payloads: options.withoutPayloads !== true, signer },
    onStep: (step) => output.status(output.paintInfo("dim", formatStep(step))),
  })
    .catch(explain)
    .finally(() => output.status(""));
  if (context.json) output.json({ ...result, folder: to });
  else printResult(context, result, to);
  return exitCode.ok;
}

async function confirm(
  { question, json }: Context,
  { yes }: RetainCommandOptions,
  { before, to }: { readonly before: number; readonly to: string },
): Promise<void> {
  if (yes) return;
  const refused = (message: string) => new CliError("not-confirmed", message, { exitCode: exitCode.pending });
  if (!question || json)
    throw refused("Nothing was archived. Count the calls with `--dry-run`, then pass `--yes`.");
  const text = `Archive calls that closed before ${formatTimestamp(before)} in \`${to}\`, and delete them from the database?`;
  if (!(await askYesNo(question, text))) throw refused("Nothing was archived.");
}

function formatStep({ kind, archive, calls }: RetainStep): string {
  return `${archive}: ${formatCount(calls, "call")} ${kind}`;
}

function printResult({ output }: Context, { archives, unusedRows }: RetainResult, folder: string): void {
  if (archives.length > 0) output.data(formatTable(columns, archives, output.paint));
  const calls = archives.reduce((sum, one) => sum + one.deleted, 0);
  output.info(
    calls === 0
      ? "No call was old enough."
      : `${output.paintInfo("green", "✔")} Moved ${formatCount(calls, "call")} to \`${folder}\`. Copy the files to a second place.`,
  );
  if (unusedRows > 0) output.info(`Deleted ${formatCount(unusedRows, "old row")} of deliveries.`);
}

const columns: readonly TableColumn<RetainResult["archives"][number]>[] = [
  { title: "ARCHIVE", text: ({ archive }) => archive },
  { title: "CALLS", text: ({ calls }) => String(calls), right: true },
  { title: "DELETED", text: ({ deleted }) => String(deleted), right: true },
];
