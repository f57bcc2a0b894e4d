import { createEngineConnection } from "../../../packages/server/src/engine/restate/index.ts";

/** Queries the engine's own tables and returns the result as JSON. */
export async function queryEngine(adminUrl: string, query: string): Promise<string> {
  const admin = createEngineConnection(adminUrl, { timeoutMs: 30_000, maxBytes: 1 << 28 });
  try {
    return (await admin.request("POST", "/query", { query })).text;
  } finally {
    await admin.close();
  }
}
