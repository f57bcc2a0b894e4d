import type { Query } from "../database.ts";

/** Runs the body with one of Paraph's roles, as its processes do. The login itself inherits no rights. */
export async function withRole<T>(
  query: Query,
  role: "paraph_app" | "paraph_sweeper",
  body: () => Promise<T>,
): Promise<T> {
  await query(`set role ${role}`);
  try {
    return await body();
  } finally {
    await query("reset role");
  }
}
