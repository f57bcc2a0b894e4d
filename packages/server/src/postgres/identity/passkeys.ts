import type { EnrolledPasskey } from "@paraph/core";
import type { Pool } from "pg";
import { withTenant } from "../database.ts";
import type { RowChange } from "./people.ts";

/** An enrolled passkey as stored. */
export interface StoredPasskey extends EnrolledPasskey {
  readonly label: string;
  /** [TRUST 32] The seal over credential, person and public key. */
  readonly seal: string;
  /** The highest signature counter that the authenticator has reported. */
  readonly counter: number;
  readonly createdAt: number;
  readonly usedAt?: number;
}

/** The enrolled passkeys of a tenant. They hold public keys only. */
export interface PasskeyStore {
  find(tenant: string, credential: string): Promise<StoredPasskey | undefined>;
  /** Lists the passkeys of one person, or of all people, the oldest first. */
  list(tenant: string, person?: string): Promise<readonly StoredPasskey[]>;
  /** Adds a passkey. Returns `taken` if another person or another public key has the credential. */
  add(
    tenant: string,
    passkey: Pick<StoredPasskey, "credential" | "person" | "publicKey" | "label" | "seal">,
  ): Promise<RowChange>;
  remove(tenant: string, credential: string): Promise<RowChange>;
  /** Records a use. Returns false if the counter did not increase, or if the passkey was removed. */
  recordUse(tenant: string, credential: string, counter: number): Promise<boolean>;
}

const columns = `credential, person, public_key as "publicKey", label, seal, counter::float8 as counter,
  extract(epoch from created_at) * 1000 as "createdAt", extract(epoch from used_at) * 1000 as "usedAt"`;

/** Creates the store of passkeys on PostgreSQL. */
export function createPasskeyStore(app: Pool): PasskeyStore {
  const find: PasskeyStore["find"] = async (tenant, credential) => {
    const [row] = await withTenant(app, tenant, (query) =>
      query<PasskeyRow>(`select ${columns} from paraph.passkey where tenant = $1 and credential = $2`, [
        tenant,
        credential,
      ]),
    );
    return row && toPasskey(row);
  };
  return {
    find,
    async list(tenant, person) {
      const rows = await withTenant(app, tenant, (query) =>
        query<PasskeyRow>(
          `select ${columns} from paraph.passkey where tenant = $1 and ($2::text is null or person = $2) order by created_at, credential`,
          [tenant, person ?? null],
        ),
      );
      return rows.map(toPasskey);
    },
    async add(tenant, { credential, person, publicKey, label, seal }) {
      const added = await withTenant(app, tenant, (query) =>
        query(
          `insert into paraph.passkey (tenant, credential, person, public_key, label, seal)
           values ($1, $2, $3, $4, $5, $6) on conflict do nothing returning credential`,
          [tenant, credential, person, publicKey, label, seal],
        ),
      );
      if (added.length > 0) return "done";
      const there = await find(tenant, credential);
      return there?.person === person && there.publicKey === publicKey ? "already" : "taken";
    },
    async remove(tenant, credential) {
      const removed = await withTenant(app, tenant, (query) =>
        query("delete from paraph.passkey where tenant = $1 and credential = $2 returning credential", [
          tenant,
          credential,
        ]),
      );
      return removed.length > 0 ? "done" : "unknown";
    },
    async recordUse(tenant, credential, counter) {
      const used = await withTenant(app, tenant, (query) =>
        query(
          `update paraph.passkey set counter = $3, used_at = now()
           where tenant = $1 and credential = $2 and (counter < $3 or (counter = 0 and $3 = 0)) returning credential`,
          [tenant, credential, counter],
        ),
      );
      return used.length > 0;
    },
  };
}

type PasskeyRow = Omit<StoredPasskey, "usedAt" | "createdAt"> & {
  readonly createdAt: string;
  readonly usedAt: string | null;
};

function toPasskey({ createdAt, usedAt, ...row }: PasskeyRow): StoredPasskey {
  return { ...row, createdAt: Number(createdAt), ...(usedAt !== null && { usedAt: Number(usedAt) }) };
}
