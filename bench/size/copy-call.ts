import type { BenchDatabase } from "../lib/servers.ts";

type Query = BenchDatabase<unknown>["query"];

const batchSize = 50_000;

/** Copies all rows of a closed call, as calls number `from` to `to`. In lists, the copies come before real calls. */
export async function copyCall(query: Query, call: string, from: number, to: number): Promise<void> {
  const tables = await query<{ name: string; columns: { name: string; type: string }[] }>(
    `select t.table_name as name, json_agg(json_build_object('name', c.column_name, 'type', c.data_type)) as columns
     from information_schema.tables t
     join information_schema.columns c on c.table_schema = t.table_schema and c.table_name = t.table_name
     where t.table_schema = 'paraph' and t.table_type = 'BASE TABLE' and c.is_generated = 'NEVER'
     group by t.table_name having bool_or(c.column_name = 'call') or t.table_name = 'call'`,
  );
  // The triggers would announce each copy to the processes.
  await query("set session_replication_role = replica");
  for (const { name, columns } of tables) {
    const id = name === "call" ? "id" : "call";
    const names = columns.map((column) => `"${column.name}"`).join(", ");
    const values = columns.map((column) => {
      if (column.name === id || (name === "call" && column.name === "key")) return toCopyId("n");
      const isTime = column.type === "timestamp with time zone";
      return isTime ? `"${column.name}" - make_interval(secs => n)` : `"${column.name}"`;
    });
    for (let start = from; start <= to; start += batchSize)
      await query(
        `insert into paraph.${name} (${names}) select ${values.join(", ")} from paraph.${name}, generate_series($2::int, $3::int) n where ${id} = $1`,
        [call, start, Math.min(to, start + batchSize - 1)],
      );
  }
  await query("set session_replication_role = origin");
  await query("vacuum analyze");
}

/** Returns the SQL expression of a copy's id. */
function toCopyId(number: string): string {
  return `'call_z' || lpad(${number}::text, 24, '0')`;
}

/** Returns the id of the copy with this number. */
export function getCopyId(number: number): string {
  return `call_z${String(number).padStart(24, "0")}`;
}
