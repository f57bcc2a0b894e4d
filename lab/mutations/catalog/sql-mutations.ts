import type { Mutation, NamedTest } from "../mutation.ts";

const sqlAdapterPath = (path: string) => `packages/adapters/src/sql/${path}`;
const analysedTest = (title: string): NamedTest => ({
  file: sqlAdapterPath("statement/analysis.test.ts"),
  title,
});

/** Mutations of the checks on statements to a database, and on the results that come from it. */
export const sqlMutations: readonly Mutation[] = [
  ...listFunctionMutations(),
  ...listFloodMutations(),
  ...listValueMutations(),
];

function listFunctionMutations(): Mutation[] {
  return [
    {
      name: "trust the text of a statement to name its functions",
      file: sqlAdapterPath("statement/functions.ts"),
      find: "listReachedFunctions(await analyzeStatement(text, transaction), transaction)",
      replace: 'listReachedFunctions("", transaction)',
      caughtBy: analysedTest(
        "[TRUST 30] a call in attribute notation, `(42).pg_advisory_lock`, does not run in a query or a preview",
      ),
      quick: true,
    },
    {
      name: "believe a function that runs the text it is given to be stable",
      file: sqlAdapterPath("statement/functions.ts"),
      find: "    readingFunctions,\n    indirectFunctions,\n",
      replace: "    readingFunctions,\n    [],\n",
      caughtBy: analysedTest(
        "[TRUST 30] non-volatile functions that run a text, or a view or type by its name, are refused",
      ),
    },
    {
      name: "let the analysis of a statement write",
      file: sqlAdapterPath("statement/analysis.ts"),
      find: "pg_catalog.set_config('transaction_read_only', 'on', true),",
      replace: "",
      caughtBy: analysedTest(
        "[TRUST 30] a domain check that runs for a literal during analysis cannot write",
      ),
    },
    {
      name: "let functions of users stand in for PostgreSQL's own",
      file: sqlAdapterPath("change/run-change.ts"),
      find: "pg_catalog.to_jsonb(paraph_old.*) as before, pg_catalog.to_jsonb(paraph_new.*) as after",
      replace: "to_jsonb(paraph_old.*) as before, to_jsonb(paraph_new.*) as after",
      caughtBy: analysedTest(
        "[TRUST 30] user functions do not replace PostgreSQL's own, even if the search path lists them first",
      ),
    },
  ];
}

function listFloodMutations(): Mutation[] {
  const flood = (title: string): NamedTest => ({ file: sqlAdapterPath("flood.test.ts"), title });
  return [
    {
      name: "let the driver collect a message of any length",
      file: sqlAdapterPath("connection/guarded-client.ts"),
      find: "guard.watch(chunk);",
      replace: "",
      caughtBy: flood(
        "[TRUST 29] an oversized row or error is rejected by its length before it is buffered; many rows are not",
      ),
      quick: true,
    },
    {
      name: "count an answer without an end from its last message only",
      file: sqlAdapterPath("connection/message-guard.ts"),
      find: "=== readyForQuery ? 0 : this.#answer + length;",
      replace: "=== readyForQuery ? 0 : length;",
      caughtBy: flood("[TRUST 29] the length limits apply however the bytes are split into chunks"),
    },
    {
      name: "take an MCP answer of any length over HTTP",
      file: "packages/adapters/src/mcp/connection/post-message.ts",
      find: "if (size > maxMcpMessageBytes) throw rejectTooLarge(getRequestScope());",
      replace: "",
      caughtBy: {
        file: "packages/adapters/src/mcp/http.test.ts",
        title:
          "[TRUST 29] a 300 MB answer is aborted at the limit, as one message or a stream, and the next call succeeds",
      },
    },
  ];
}

function listValueMutations(): Mutation[] {
  const same = (title: string): NamedTest => ({ file: sqlAdapterPath("same-change.test.ts"), title });
  return [
    {
      name: "compare no new values at the change",
      file: sqlAdapterPath("change/report-query.ts"),
      find: "...became.map(({ fact }) => fact),",
      replace: "",
      caughtBy: same(
        "[TRUST 1] the applying transaction rolls back a clock-dependent 1,000,100 that was approved as 101",
      ),
      quick: true,
    },
    {
      name: "compare only the columns that the statement names",
      file: sqlAdapterPath("change/report-query.ts"),
      find: "const fact = written.includes(column.name)",
      replace: 'const fact = !written.includes(column.name) ? "null::jsonb" : true',
      caughtBy: same("if the values depend on the session, other tables, triggers or generated columns"),
    },
    {
      name: "preview what chance decides",
      file: sqlAdapterPath("change/run-change.ts"),
      find: "requireStableValues(random, wanted.assigned.generators);",
      replace: "",
      caughtBy: same("[TRUST 1] the preview refuses a random change before a person is asked"),
    },
    {
      name: "show the time of the preview as the value that will be written",
      file: sqlAdapterPath("change/changes.ts"),
      find: "moving === null ? shown(column, after)",
      replace: "true ? shown(column, after)",
      caughtBy: same(
        "[TRUST 30] the preview describes a time-dependent value, and does not show its value at preview time",
      ),
    },
  ];
}
