import type { Table } from "./table.ts";

export const sensitiveMask = "•••";

/** Whether `sensitive` lists the column, as `users.email` or as `public.users.email`. */
export function isSensitiveColumn(
  sensitive: readonly string[],
  { name }: Pick<Table, "name">,
  column: string,
): boolean {
  const table = name.slice(name.indexOf(".") + 1);
  return sensitive.includes(`${name}.${column}`) || sensitive.includes(`${table}.${column}`);
}
