import { engineConnection } from "../packages/server/src/engine/restate/index.ts";

/** What the engine answers to a query of its own tables, as JSON. */
export async function askEngine(adminUrl: string, query: string): Promise<string> {
  const admin = engineConnection(adminUrl, { timeoutMs: 30_000, maxBytes: 1 << 28 });
  try {
    return (await admin.request("POST", "/query", { query })).text;
  } finally {
    await admin.close();
  }
}
