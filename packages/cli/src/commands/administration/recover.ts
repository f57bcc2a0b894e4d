import { recoverTenant } from "@paraph/server";
import { findLocalOwnerDatabase } from "../../lib/api/connection.ts";
import { CliError, usageError } from "../../lib/cli-error.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { prepareLoginLink } from "../start/login-link.ts";
import { explainDatabase, findOwnerUrl, requireOwnerUrl } from "../start/owner-database.ts";

export interface RecoverOptions {
  readonly reason: string;
  readonly tenant?: string;
  readonly database?: string;
  /** Creates only a login link, for a person who exists. */
  readonly loginOnly?: boolean;
}

/**
 * Restores access when no person can approve any more, or when a person needs a new login link. The operator needs
 * access to the database. The audit trail records the recovery.
 */
export async function recoverAccess(
  context: Context,
  person: string,
  options: RecoverOptions,
): Promise<ExitCode> {
  const { output, environment, folder } = context;
  const { reason, database, loginOnly = false } = options;
  const isGiven = findOwnerUrl(context, database) !== undefined;
  const local = isGiven ? undefined : await findLocalOwnerDatabase(folder, environment);
  const ownerUrl = local?.url ?? requireOwnerUrl(context, database, "Or start `paraph dev` in its folder.");
  const tenant = options.tenant ?? local?.tenant;
  if (tenant === undefined) throw usageError("Name the tenant to recover: `--tenant NAME`.");
  const toLoginLink = prepareLoginLink(context, local?.api);
  const recovered = await recoverTenant(ownerUrl, { tenant, person, reason, loginOnly }).catch(
    explainDatabase(ownerUrl),
  );
  if (!recovered) throw new CliError("tenant-unknown", `There is no tenant \`${tenant}\` in this database.`);
  const { token, created, madeAdmin } = recovered;
  const { link, text, advice } = toLoginLink(token);
  if (context.json) output.json({ link, tenant, person, created, madeAdmin });
  else {
    const rights = madeAdmin ? "is now" : "was already";
    output.info(
      loginOnly
        ? "The login link is recorded."
        : `${person} ${created ? "is a new person and " : ""}${rights} an administrator of ${tenant}. The recovery is recorded.`,
    );
    output.info(`Sign in with this link, once, within one hour${advice}:`);
    output.data(text);
  }
  return exitCode.ok;
}
