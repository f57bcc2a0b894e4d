import { createTenant } from "@paraph/server";
import { CliError } from "../../lib/cli-error.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { prepareLoginLink } from "./login-link.ts";
import { explainDatabase, requireOwnerUrl } from "./owner-database.ts";

export interface AddTenantOptions {
  readonly admin: string;
  readonly database?: string;
}

/** Adds a tenant with its first administrator, and prints the administrator's key and login link. */
export async function addTenant(
  context: Context,
  name: string,
  { admin, database }: AddTenantOptions,
): Promise<ExitCode> {
  const { output } = context;
  const ownerUrl = requireOwnerUrl(context, database);
  const toLoginLink = prepareLoginLink(context);
  const created = await createTenant(ownerUrl, { tenant: name, admin }).catch(explainDatabase(ownerUrl));
  if (!created)
    throw new CliError(
      "tenant-exists",
      `The tenant \`${name}\` exists already, and nothing was changed. Run \`paraph recover ${admin} --tenant ${name} --reason TEXT\` to make a person its administrator.`,
    );
  const { link, text, advice } = toLoginLink(created.token);
  if (context.json) output.json({ tenant: name, admin, key: created.key, link });
  else {
    output.info(`${admin} is the administrator of the new tenant ${name}.`);
    output.info("The API key of this person. Paraph stores only a hash of it, so note it now:");
    output.data(created.key);
    output.info(`The login link of this person. It works once, within one hour${advice}:`);
    output.data(text);
  }
  return exitCode.ok;
}
