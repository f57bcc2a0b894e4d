import type { Pool } from "pg";

/** Returns the query plan of the statement that starts with `start`, while `body` uses the given pool. */
export async function captureQueryPlan(
  pool: Pool,
  start: string,
  body: (pool: Pool) => Promise<unknown>,
): Promise<string> {
  let plan = "";
  const explaining = {
    async connect() {
      const client = await pool.connect();
      const query = async (text: string, values: unknown[]) => {
        if (text.startsWith(start))
          plan = JSON.stringify((await client.query(`explain ${text}`, values)).rows);
        return client.query(text, values);
      };
      return { query, release: () => client.release() };
    },
  };
  await body(explaining as unknown as Pool);
  return plan;
}
