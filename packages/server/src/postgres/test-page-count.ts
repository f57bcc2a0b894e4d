/**
 * Returns how many pages a query used, from the rows of `explain (analyze, buffers)`. It counts the pages in
 * PostgreSQL's memory and those that PostgreSQL had to read, because queries of other tests can displace pages.
 */
export function countUsedPages(rows: readonly Record<string, unknown>[]): number {
  const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
  const found = /Buffers: shared(?: hit=(\d+))?(?: read=(\d+))?/.exec(plan);
  if (!found) throw new Error(`The plan names no pages:\n${plan}`);
  const [, hit = "0", read = "0"] = found;
  return Number(hit) + Number(read);
}
