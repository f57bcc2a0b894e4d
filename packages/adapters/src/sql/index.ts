import {
  type Adapter,
  type AdapterScope,
  type Capability,
  type Duration,
  defineAdapter,
  milliseconds,
} from "@paraph/core";
import { z } from "zod";
import { Connections, isPostgresAddress } from "./connection/connections.ts";
import type { SqlContext } from "./context.ts";
import { createExecuteCapability } from "./execute.ts";
import { checkDatabaseHealth } from "./health.ts";
import { createRowObserver, requireReadableQueries, watchConfig } from "./observe.ts";
import { createQueryCapability } from "./query.ts";

const durationConfig = (otherwise: Duration, max: Duration) =>
  z
    .string()
    .default(otherwise)
    .refine((text) => isInRange(text, max), `must be a duration such as \`${otherwise}\`, at most \`${max}\``)
    .transform((text) => milliseconds(text as Duration))
    .meta({ typeName: "duration" });

const identifierConfig = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_$]{0,62}$/, "must be a plain name such as `readers`");
const tableNamePattern = /^[a-z_][a-z0-9_$]{0,62}(?:\.[a-z_][a-z0-9_$]{0,62})?$/;
const columnNamePattern = /^[^.]+\.[^.]+(?:\.[^.]+)?$/;

/** The schema of the options of `postgres()`. */
export const postgresConfig = z.strictObject({
  connection: z
    .string()
    .refine(
      (text) => /^\$\{[A-Za-z0-9_-]+\}$/.test(text) || isPostgresAddress(text),
      // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how a configuration names a secret.
      "must be a secret's name such as `${PROD_DB}`, or an address that begins with `postgres://`",
    )
    .describe("the secret that holds the address of the database, or the address; the first argument"),
  environment: z
    .enum(["production", "staging", "development"])
    .optional()
    .describe("environment of the database; changes in `production` have high risk"),
  risk: z
    .enum(["medium", "high", "critical"])
    .optional()
    .describe("risk of changes (default: `high` in `production`, otherwise `medium`)"),
  readRole: identifierConfig.optional().describe("role for queries, which should have read access only"),
  marker: z
    .union([
      z.literal(false),
      z
        .string()
        .regex(tableNamePattern, "must be a table such as `paraph_applied` or `audit.paraph_applied`"),
    ])
    .default("paraph_applied")
    .describe(
      "table that records applied calls; with false, a change has the outcome unknown if its commit is not confirmed",
    ),
  ddl: z.boolean().default(false).describe("whether calls may create, alter, truncate and drop tables"),
  functions: z.array(identifierConfig).default([]).describe("volatile functions that statements may call"),
  sensitive: z
    .array(
      z.string().regex(columnNamePattern, "must be a column such as `users.email` or `public.users.email`"),
    )
    .default([])
    .describe("columns whose values are masked in previews"),
  maxRows: z
    .int()
    .positive()
    .max(100_000)
    .default(1_000)
    .describe("maximum number of rows that a query returns"),
  maxBytes: z
    .int()
    .positive()
    .max(3 * 1024 * 1024)
    .default(1024 * 1024)
    .describe("maximum number of bytes that a query returns"),
  maxChanged: z
    .int()
    .positive()
    .max(1_000_000)
    .default(100_000)
    .describe("maximum number of rows that one call changes"),
  connections: z
    .int()
    .positive()
    .max(100)
    .default(4)
    .describe("maximum number of connections to one database"),
  watch: z
    .record(z.string().regex(/^[a-z][a-z0-9_-]{0,62}$/, "must be a name such as `orders`"), watchConfig)
    .default({})
    .describe("queries whose new rows Paraph observes, by name, if `poll` names the adapter"),
  timeout: durationConfig("30s", "10m").describe("timeout of a query or a change"),
  previewTimeout: durationConfig("10s", "1m").describe(
    "timeout of a preview, which holds its locks until it ends",
  ),
  lockTimeout: durationConfig("1s", "1m").describe(
    "how long a statement waits for rows that another session has locked",
  ),
});

const postgresAdapter = defineAdapter({
  kind: "postgres",
  config: postgresConfig,
  open: async ({ connection, connections: max, marker, environment, risk, readRole, ...rest }, opened) => {
    const { timeout, previewTimeout, lockTimeout, ...limits } = rest;
    await requireReadableQueries(rest.watch, opened.name);
    const connections = new Connections(connection, max);
    const sqlContext: SqlContext = {
      ...limits,
      name: opened.name,
      environment,
      readRole,
      connections,
      timeoutMs: timeout,
      previewTimeoutMs: previewTimeout,
      lockTimeoutMs: lockTimeout,
      marker: marker === false ? undefined : marker,
      risk: risk ?? (environment === "production" ? "high" : "medium"),
    };
    const capabilities: readonly Capability[] = [
      createQueryCapability(sqlContext),
      createExecuteCapability(sqlContext),
    ];
    return {
      capabilities: async () => capabilities,
      health: (signal) =>
        checkDatabaseHealth(sqlContext, { signal, credential: (secret) => opened.credential(secret) }),
      ...(Object.keys(rest.watch).length > 0 && { observe: createRowObserver(sqlContext) }),
      close: () => connections.close(),
    };
  },
});

/** The options of the adapter for a PostgreSQL database, without the connection. */
export type PostgresAdapterOptions = Omit<z.input<typeof postgresConfig>, "connection"> & AdapterScope;

/** Creates the adapter for a PostgreSQL database, with the capabilities `query` to read and `execute` to change. */
export function postgres(connection: string, options: PostgresAdapterOptions = {}): Adapter {
  return postgresAdapter({ ...options, connection });
}

function isInRange(text: string, max: Duration): boolean {
  try {
    const ms = milliseconds(text as Duration);
    return ms >= 1 && ms <= milliseconds(max);
  } catch {
    return false;
  }
}
