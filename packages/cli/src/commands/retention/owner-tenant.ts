import { findLocalOwnerDatabase } from "../../lib/api/connection.ts";
import { usageError } from "../../lib/cli-error.ts";
import type { Context } from "../../lib/context.ts";
import { findOwnerUrl, requireOwnerUrl } from "../start/owner-database.ts";

/** The options that name the database and the tenant. */
export interface OwnerTenantOptions {
  readonly database?: string;
  readonly tenant?: string;
}

/**
 * Returns the URL with the login of the database's owner, and the tenant. If no URL is given, both come from the running
 * `paraph dev`.
 */
export async function resolveOwnerTenant(
  context: Context,
  { database, tenant }: OwnerTenantOptions,
): Promise<{ readonly ownerUrl: string; readonly tenant: string }> {
  const isGiven = findOwnerUrl(context, database) !== undefined;
  const local = isGiven ? undefined : await findLocalOwnerDatabase(context.folder, context.environment);
  const ownerUrl = local?.url ?? requireOwnerUrl(context, database, "Or start `paraph dev` in its folder.");
  const named = tenant ?? local?.tenant;
  if (named === undefined) throw usageError("Name the tenant: `--tenant NAME`.");
  return { ownerUrl, tenant: named };
}
