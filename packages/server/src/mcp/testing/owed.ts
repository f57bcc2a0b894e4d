import type { Owed } from "../desk.ts";

/** What is owed, as the table keeps it. */
export function testOwed(): Owed {
  const rows = new Map<string, string>();
  const key = (tenant: string, principal: string, session: string, digest: string) =>
    JSON.stringify([tenant, principal, session, digest]);
  return {
    find: async ({ tenant, id }, session, digest) => rows.get(key(tenant, id, session, digest)),
    keep: async ({ tenant, principal, call }, session, digest) =>
      void rows.set(key(tenant, principal.id, session, digest), call),
    settle: async (_tenant, calls) => {
      for (const [row, call] of rows) if (calls.includes(call)) rows.delete(row);
    },
  };
}
