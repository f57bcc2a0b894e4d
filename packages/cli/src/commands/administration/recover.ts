import { recoverTenant } from "@paraph/server";
import { findLocalOwnerDatabase } from "../../lib/api/connection.ts";
import { CliError, usageError } from "../../lib/cli-error.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";

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
  const { reason, database = environment.DATABASE_OWNER_URL, loginOnly = false } = options;
  const local = database === undefined ? await findLocalOwnerDatabase(folder, environment) : undefined;
  const ownerUrl = database ?? local?.url;
  const tenant = options.tenant ?? local?.tenant;
  if (ownerUrl === undefined)
    throw new CliError(
      "no-database",
      "Paraph is not running in this folder. Start it with `paraph dev`, or set `--database` or DATABASE_OWNER_URL to a URL with the login of the database owner.",
    );
  if (tenant === undefined) throw usageError("Name the tenant to recover: `--tenant NAME`.");
  const recovered = await recoverTenant(ownerUrl, { tenant, person, reason, loginOnly }).catch(explainDenied);
  if (!recovered) throw new CliError("tenant-unknown", `There is no tenant \`${tenant}\` in this database.`);
  const { token, created, madeAdmin } = recovered;
  const path = `/login/local?token=${token}`;
  const link = local?.api === undefined ? path : new URL(path, local.api).href;
  if (context.json) output.json({ link, tenant, person, created, madeAdmin });
  else {
    const rights = madeAdmin ? "is now" : "was already";
    output.info(
      loginOnly
        ? "The login link is recorded."
        : `${person} ${created ? "is a new person and " : ""}${rights} an administrator of ${tenant}. The recovery is recorded.`,
    );
    output.info(
      `Sign in with this link, once, within one hour${local?.api === undefined ? ", relative to the address of the API" : ""}:`,
    );
    output.data(link);
  }
  return exitCode.ok;
}

/** PostgreSQL's code for a login without the necessary rights. */
const insufficientPrivilege = "42501";

function explainDenied(error: unknown): never {
  if ((error as { readonly code?: unknown }).code !== insufficientPrivilege) throw error;
  throw new CliError(
    "database-denied",
    "This login may not recover a tenant, because it is not the login of the database's owner. Pass a URL with the owner's login in `--database` or DATABASE_OWNER_URL.",
    { cause: error },
  );
}
