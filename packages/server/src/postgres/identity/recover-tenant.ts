import { ParaphError, principalIdPatterns, roles } from "@paraph/core";
import { Client } from "pg";
import { createLoginLink } from "./login-link.ts";

/** The tenant to recover, the person who becomes its administrator, and the reason. */
export interface RecoveryRequest {
  readonly tenant: string;
  readonly person: string;
  readonly reason: string;
  /** Creates only the login link. The person must exist, and keeps their groups. */
  readonly loginOnly?: boolean;
}

/** The result of a recovery. */
export interface RecoveryResult {
  /** The token of the login link. */
  readonly token: string;
  readonly created: boolean;
  readonly madeAdmin: boolean;
}

/**
 * Recovers a tenant in which no person can approve any more, or gives a person a new login link. It connects as the
 * owner of the database, makes the person an administrator unless `loginOnly` is set, and creates the link. The table
 * `paraph.recovery` records the recovery. Returns undefined if the tenant does not exist.
 */
export async function recoverTenant(
  ownerUrl: string,
  { tenant, person, reason, loginOnly = false }: RecoveryRequest,
): Promise<RecoveryResult | undefined> {
  const client = new Client({ connectionString: ownerUrl });
  await client.connect();
  const changes = async (text: string, values: unknown[]) =>
    (await client.query(text, values)).rowCount === 1;
  try {
    await client.query("begin");
    if (!(await changes("select from paraph.tenant where id = $1", [tenant]))) return undefined;
    const created =
      !loginOnly &&
      (await changes(
        "insert into paraph.principal (tenant, id, kind) values ($1, $2, 'person') on conflict do nothing",
        [tenant, person],
      ));
    if (created && !principalIdPatterns.new.test(person))
      throw new ParaphError(
        "input-invalid",
        "There is no person with this id, and the id of a new person must have 1 to 255 visible ASCII characters, without spaces.",
      );
    if (
      !(await changes("select from paraph.principal where tenant = $1 and id = $2 and kind = 'person'", [
        tenant,
        person,
      ]))
    )
      throw new ParaphError("input-invalid", `The tenant has no person \`${person}\`.`);
    const madeAdmin =
      !loginOnly &&
      (await changes(
        "insert into paraph.group_member (tenant, grp, principal) values ($1, $2, $3) on conflict do nothing",
        [tenant, roles.admins, person],
      ));
    const token = await createLoginLink(client, tenant, person);
    await client.query(
      "insert into paraph.recovery (tenant, person, created, made_admin, reason) values ($1, $2, $3, $4, $5)",
      [tenant, person, created, madeAdmin, reason],
    );
    await client.query("commit");
    return { token, created, madeAdmin };
  } finally {
    await client.end();
  }
}
