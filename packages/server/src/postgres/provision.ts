import type { Principal } from "@paraph/core";
import { Client, escapeIdentifier, escapeLiteral } from "pg";
import { generateApiKey } from "./identity/generate-key.ts";

/**
 * Runs `body` with a provisioner, as the owner of the database. The provisioner creates the login of the servers, the
 * tenants, the principals and the principals' first keys. Provisioning is the only change that is not itself a governed
 * call.
 */
export async function provision<T>(
  ownerUrl: string,
  body: (provisioner: Provisioner) => Promise<T>,
): Promise<T> {
  const client = new Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    return await body(new Provisioner(client));
  } finally {
    await client.end();
  }
}

/** Creates logins, tenants, principals and keys directly in the database. */
export class Provisioner {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Creates a login that can switch to the application role and the sweeper role, but inherits neither. */
  async createLogin(user: string, password: string): Promise<void> {
    const name = escapeIdentifier(user);
    const { rows } = await this.#client.query("select from pg_roles where rolname = $1", [user]);
    if (rows.length === 0) await this.#client.query(`create role ${name} login noinherit`);
    await this.#client.query(`alter role ${name} password ${escapeLiteral(password)}`);
    await this.#client.query(`grant paraph_app, paraph_sweeper to ${name}`);
  }

  async addTenant(id: string): Promise<void> {
    await this.#client.query("insert into paraph.tenant (id) values ($1) on conflict do nothing", [id]);
  }

  async addPrincipal({ tenant, id, kind, owner, groups = [] }: Principal): Promise<void> {
    await this.#client.query(
      // A person whom the operator adds counts as signed in from the start. Otherwise, other people could approve their
      // own calls until the new person signs in.
      `insert into paraph.principal (tenant, id, kind, owner, signed_in_at)
       values ($1, $2, $3::text, $4, case when $3::text = 'person' then paraph.now() end) on conflict do nothing`,
      [tenant, id, kind, owner ?? null],
    );
    for (const group of groups) await this.addToGroup(tenant, group, id);
  }

  async addToGroup(tenant: string, group: string, principal: string): Promise<void> {
    await this.#client.query(
      "insert into paraph.group_member (tenant, grp, principal) values ($1, $2, $3) on conflict do nothing",
      [tenant, group, principal],
    );
  }

  async linkIdentity(tenant: string, issuer: string, subject: string, principal: string): Promise<void> {
    await this.#client.query(
      "insert into paraph.external_identity (tenant, issuer, subject, principal) values ($1, $2, $3, $4) on conflict do nothing",
      [tenant, issuer, subject, principal],
    );
  }

  async createKey(tenant: string, principal: string, options: KeyOptions = {}): Promise<string> {
    const { id, hash, key } = generateApiKey(tenant);
    const { scopes, expiresAt, label } = options;
    await this.#client.query(
      "insert into paraph.api_key (tenant, id, principal, hash, scopes, expires_at, label) values ($1, $2, $3, $4, $5, $6, $7)",
      [
        tenant,
        id,
        principal,
        hash,
        scopes ?? null,
        expiresAt === undefined ? null : new Date(expiresAt),
        label ?? null,
      ],
    );
    return key;
  }
}

/** Options of a new API key. */
export interface KeyOptions {
  /**
   * The scopes of the key, such as `calls`, `calls:files.*`, `read`, `decide` or `admin` (default: everything that its
   * principal may do).
   */
  readonly scopes?: readonly string[];
  readonly expiresAt?: number;
  readonly label?: string;
}
