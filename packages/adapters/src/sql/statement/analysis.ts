import { type Connection, Query } from "pg";
import type { Transaction } from "../connection/transaction.ts";
import { refusedFault } from "./statement.ts";

/**
 * Returns PostgreSQL's query tree of a statement without running the statement. The server parses and rewrites the
 * statement, including views, rules and row security. Paraph needs the tree, because the text does not show every
 * function call. For example, `(1).pg_sleep` is also a call.
 */
export async function analyzeStatement(text: string, transaction: Transaction): Promise<string> {
  // Parsing converts literals to values and may run the check of a domain. The transaction is read-only during the
  // analysis, so that the check cannot write.
  await transaction.query("savepoint paraph_analysis");
  await transaction.query(
    `select pg_catalog.set_config('transaction_read_only', 'on', true),
            pg_catalog.set_config('client_min_messages', 'log', true),
            pg_catalog.set_config('debug_pretty_print', 'off', true),
            pg_catalog.set_config('debug_print_rewritten', 'on', true)${transaction.version >= 150_000 ? muteServerLog : ""}`,
  );
  const trees: string[] = [];
  await transaction.withNotices(
    ({ severity, detail }) => {
      if (severity === "LOG" && detail !== undefined) trees.push(detail);
    },
    () => submitParse(text, transaction),
  );
  // The rollback also restores the settings that the analysis changed.
  await transaction.query("rollback to savepoint paraph_analysis");
  if (trees.length === 0)
    throw refusedFault(
      "analysis-missing",
      "PostgreSQL did not send the analysed statement, so Paraph cannot check which functions it calls. Connect without a proxy that drops notices.",
    );
  return trees.join(" ");
}

/** The SQL that keeps the tree out of the server's own log if the login may change `log_min_messages`. */
const muteServerLog = `,
            case when pg_catalog.has_parameter_privilege('log_min_messages', 'SET')
                 then pg_catalog.set_config('log_min_messages', 'panic', true) end`;

function submitParse(text: string, transaction: Transaction): Promise<void> {
  const query = new ParseOnlyQuery({ text, values: [] });
  const ended = new Promise<void>((resolve, reject) => {
    query.on("end", () => resolve());
    query.on("error", reject);
  });
  transaction.submit(query);
  return ended;
}

/**
 * A query that sends only Parse and Sync of the extended protocol, without the Bind and Execute that run a statement.
 */
class ParseOnlyQuery extends Query {
  readonly #text: string;

  constructor(config: { readonly text: string; readonly values: unknown[] }) {
    super(config);
    this.#text = config.text;
  }

  override submit = (connection: Connection): void => {
    connection.parse({ text: this.#text, name: "", types: [] } as never, true);
    connection.sync();
  };
}
