import type { PasskeyStore, StoredPasskey } from "../../postgres/index.ts";

/** Creates the enrolled passkeys in memory. */
export function createTestPasskeyStore(): PasskeyStore {
  const rows = new Map<string, StoredPasskey>();
  const toKey = (tenant: string, credential: string) => `${tenant}/${credential}`;
  return {
    find: async (tenant, credential) => rows.get(toKey(tenant, credential)),
    list: async (tenant, person) =>
      [...rows]
        .filter(
          ([key, row]) => key.startsWith(`${tenant}/`) && (person === undefined || row.person === person),
        )
        .map(([, row]) => row),
    async add(tenant, passkey) {
      rows.set(toKey(tenant, passkey.credential), { ...passkey, counter: 0, createdAt: Date.now() });
      return "done";
    },
    remove: async (tenant, credential) => (rows.delete(toKey(tenant, credential)) ? "done" : "unknown"),
    async recordUse(tenant, credential, counter) {
      const row = rows.get(toKey(tenant, credential));
      if (!row || !(row.counter < counter || (row.counter === 0 && counter === 0))) return false;
      rows.set(toKey(tenant, credential), { ...row, counter, usedAt: Date.now() });
      return true;
    },
  };
}
