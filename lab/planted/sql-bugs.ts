import type { Bug, NamedTest } from "./bug.ts";

const adapter = (path: string) => `packages/server/src/adapters/sql/${path}`;
const analysed = (title: string): NamedTest => ({ file: adapter("analysed.test.ts"), title });

/** Bugs in what is allowed to reach a database, and in what is taken from it. */
export const sqlBugs: readonly Bug[] = [...functions(), ...floods(), ...values()];

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
      name: "believe a function that runs the text it is given to be stable",
      file: adapter("functions.ts"),
      find: "[functions, drawing, reading, indirect]",
      replace: "[functions, drawing, reading, []]",
      caughtBy: analysed(
        "[TRUST 30] functions that run a text, a view or a type by its name are refused, though they are not volatile",
      ),
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
    {
      name: "take an MCP answer of any length over HTTP",
      file: "packages/server/src/adapters/mcp/post.ts",
      find: "if (size > longestMessage) throw endless();",
      replace: "",
      caughtBy: {
        file: "packages/server/src/adapters/mcp/http.test.ts",
        title:
          "[TRUST 29] an answer of 300 MB is broken off at its limit, as one message or as a stream, and the next call is served",
      },
    },
  ];
}

function values(): Bug[] {
  const same = (title: string): NamedTest => ({ file: adapter("same-change.test.ts"), title });
  return [
    {
      name: "compare no new values at the change",
      file: adapter("report.ts"),
      find: "...became.map(({ fact }) => fact),",
      replace: "",
      caughtBy: same(
        "[TRUST 1] approve 101, write 1,000,100: what the clock decides is compared in the transaction that applies it",
      ),
      quick: true,
    },
    {
      name: "compare only the columns that the statement names",
      file: adapter("report.ts"),
      find: "const fact = written.includes(column.name)",
      replace: 'const fact = !written.includes(column.name) ? "null::jsonb" : true',
      caughtBy: same("settings of the session, other tables, triggers and generated columns"),
    },
    {
      name: "preview what chance decides",
      file: adapter("changed.ts"),
      find: "demandSettled(drawing, wanted.assigned.generators);",
      replace: "",
      caughtBy: same("[TRUST 1] a change by chance is refused before a person is asked"),
    },
    {
      name: "show the time of the preview as the value that will be written",
      file: adapter("changes.ts"),
      find: "moving === null ? shown(column, after)",
      replace: "true ? shown(column, after)",
      caughtBy: same(
        "[TRUST 30] says of a value that depends on the moment what it will be, not what it was in the preview",
      ),
    },
  ];
}
