import { resolve } from "node:path";
import { createTenant } from "@paraph/server";
import { CliError } from "../../lib/cli-error.ts";
import { readConfiguration } from "../../lib/config/configuration.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { explainDatabase, requireOwnerUrl } from "./owner-database.ts";

export interface AddTenantOptions {
  readonly admin: string;
  readonly database?: string;
  readonly folder: string;
}

/** Adds a tenant with its first administrator, and prints the administrator's key and login link. */
export async function addTenant(
  context: Context,
  name: string,
  { admin, database, folder }: AddTenantOptions,
): Promise<ExitCode> {
  const { output } = context;
  const ownerUrl = requireOwnerUrl(context, database);
  const { config } = await readConfiguration(resolve(context.folder, folder));
  const created = await createTenant(ownerUrl, { tenant: name, admin }).catch(explainDatabase(ownerUrl));
  if (!created)
    throw new CliError(
      "tenant-exists",
      `The tenant \`${name}\` exists already, and nothing was changed. Run \`paraph recover ${admin} --tenant ${name} --reason TEXT\` to make a person its administrator.`,
    );
  const path = `/login/local?token=${created.token}`;
  const url = config.identity?.url;
  const link = url === undefined ? path : new URL(path, url).href;
  if (context.json) output.json({ tenant: name, admin, key: created.key, link });
  else {
    output.info(`${admin} is the administrator of the new tenant ${name}.`);
    output.info("The API key of this person. Paraph stores only a hash of it, so note it now:");
    output.data(created.key);
    output.info(
      `The login link of this person. It works once, within one hour${url === undefined ? ", at the address of the API" : ""}:`,
    );
    output.data(link);
  }
  return exitCode.ok;
}
