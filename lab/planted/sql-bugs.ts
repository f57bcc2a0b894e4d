import type { Bug, NamedTest } from "./bug.ts";

/** Bugs in what is allowed to reach a database, and in what is taken from it. */
export const sqlBugs: readonly Bug[] = [...functions(), ...floods()];

const adapter = (path: string) => `packages/server/src/adapters/sql/${path}`;
const analysed = (title: string): NamedTest => ({ file: adapter("analysed.test.ts"), title });

function functions(): Bug[] {
  return [
    {
      name: "trust the text of a statement to name its functions",
      file: adapter("functions.ts"),
      find: "functionsBehind(await analysed(text, transaction), transaction)",
      replace: 'functionsBehind("", transaction)',
      caughtBy: analysed(
        "[TRUST 30] attribute notation is a call: nothing of `(42).pg_advisory_lock` runs in a query or a preview",
      ),
      quick: true,
    },
    {
      name: "let the analysis of a statement write",
      file: adapter("analysis.ts"),
      find: "pg_catalog.set_config('transaction_read_only', 'on', true),",
      replace: "",
      caughtBy: analysed(
        "[TRUST 30] the check of a domain that runs for a literal, while a statement is analysed, cannot write",
      ),
    },
    {
      name: "let functions of users stand in for PostgreSQL's own",
      file: adapter("changed.ts"),
      find: "pg_catalog.to_jsonb(paraph_old.*) as before, pg_catalog.to_jsonb(paraph_new.*) as after",
      replace: "to_jsonb(paraph_old.*) as before, to_jsonb(paraph_new.*) as after",
      caughtBy: analysed(
        "[TRUST 30] functions of users do not stand in for PostgreSQL's own, wherever they are searched first",
      ),
    },
  ];
}

function floods(): Bug[] {
  const flood = (title: string): NamedTest => ({ file: adapter("flood.test.ts"), title });
  return [
    {
      name: "let the driver collect a message of any length",
      file: adapter("guarded-client.ts"),
      find: "guard.watch(chunk);",
      replace: "",
      caughtBy: flood(
        "[TRUST 29] a message is broken off by its length, before it is collected: rows, errors, and many rows",
      ),
      quick: true,
    },
    {
      name: "count an answer without an end from its last message only",
      file: adapter("message-guard.ts"),
      find: "=== readyForQuery ? 0 : this.#answer + length;",
      replace: "=== readyForQuery ? 0 : length;",
      caughtBy: flood("[TRUST 29] lengths are watched wherever the bytes are cut"),
    },
  ];
}
