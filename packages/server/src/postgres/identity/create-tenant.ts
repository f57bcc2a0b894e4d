import { ParaphError, principalIdPatterns, roles } from "@paraph/core";
import { Client } from "pg";
import { Provisioner } from "../provision.ts";
import { createLoginLink } from "./login-link.ts";

/** A new tenant and its first administrator. */
export interface TenantRequest {
  readonly tenant: string;
  readonly admin: string;
}

/** The first administrator's API key, and the token of a login link. */
export interface CreatedTenant {
  readonly key: string;
  readonly token: string;
}

/**
 * Creates a tenant with one administrator, as the owner of the database. Returns undefined if the tenant exists
 * already, and then changes nothing.
 */
export async function createTenant(
  ownerUrl: string,
  { tenant, admin }: TenantRequest,
): Promise<CreatedTenant | undefined> {
  if (!/^[a-z][a-z0-9]{1,30}$/.test(tenant))
    throw new ParaphError(
      "input-invalid",
      `\`${tenant}\` is not a name for a tenant. Use 2 to 31 small letters and digits, beginning with a letter.`,
    );
  if (!principalIdPatterns.new.test(admin))
    throw new ParaphError(
      "input-invalid",
      "The administrator's id must have 1 to 255 visible ASCII characters, without spaces.",
    );
  const client = new Client({ connectionString: ownerUrl, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    await client.query("begin");
    const added = await client.query("insert into paraph.tenant (id) values ($1) on conflict do nothing", [
      tenant,
    ]);
    if (added.rowCount === 0) return undefined;
    const provisioner = new Provisioner(client);
    await provisioner.addPrincipal({ tenant, id: admin, kind: "person", groups: [roles.admins] });
    const key = await provisioner.createKey(tenant, admin, { label: "first administrator" });
    const token = await createLoginLink(client, tenant, admin);
    await client.query("commit");
    return { key, token };
  } finally {
    await client.end();
  }
}
