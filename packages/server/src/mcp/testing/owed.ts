import type { ModelStore } from "@paraph/core/testing";
import type { Owed } from "../desk.ts";

/** What is owed, kept and joined as the table and `load_twin` do. */
export function testOwed(store: ModelStore): Owed {
  const rows = new Map<string, string>();
  const findTwin = store.findTwin.bind(store);
  store.findTwin = async (principal, session, digest) => {
    const open = await findTwin(principal, session, digest);
    const { tenant, id } = principal;
    const owed = rows.get(JSON.stringify([tenant, id, session, digest]));
    return open ?? (owed === undefined ? undefined : store.load({ tenant, call: owed }));
  };
  return {
    keep: async ({ tenant, principal, call }, session, digest) =>
      void rows.set(JSON.stringify([tenant, principal.id, session, digest]), call),
    settle: async (_tenant, calls) => {
      for (const [row, call] of rows) if (calls.includes(call)) rows.delete(row);
    },
  };
}
