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
import { createQueryCapability } from "./query.ts";

const durationConfig = (otherwise: Duration, most: Duration) =>
  z
    .string()
    .default(otherwise)
    .refine((text) => isInRange(text, most), `a duration as \`${otherwise}\`, at most \`${most}\``)
    .transform((text) => milliseconds(text as Duration));

const identifierConfig = z.string().regex(/^[A-Za-z_][A-Za-z0-9_$]{0,62}$/, "a plain name, as `readers`");
const tableNamePattern = /^[a-z_][a-z0-9_$]{0,62}(?:\.[a-z_][a-z0-9_$]{0,62})?$/;
const columnNamePattern = /^[^.]+\.[^.]+(?:\.[^.]+)?$/;

const postgresConfig = z.strictObject({
  connection: z.string().refine(
    (text) => /^\$\{[A-Za-z0-9_-]+\}$/.test(text) || isPostgresAddress(text),
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how a configuration names a secret.
    "a secret's name as `${PROD_DB}`, or an address that begins with `postgres://`",
  ),
  environment: z
    .enum(["production", "staging", "development"])
    .optional()
    .describe("changes in production are of high risk"),
  risk: z
    .enum(["medium", "high", "critical"])
    .optional()
    .describe("of changes, where it is not what follows"),
  readRole: identifierConfig
    .optional()
    .describe("the role queries take on: it should have the right to read only"),
  marker: z
    .union([
      z.literal(false),
      z.string().regex(tableNamePattern, "a table, as `paraph_applied` or `audit.paraph_applied`"),
    ])
    .default("paraph_applied")
    .describe(
      "the table that remembers applied calls; false: none, and a change whose end nobody saw is unknown",
    ),
  ddl: z.boolean().default(false).describe("whether tables may be defined, altered, emptied and dropped"),
  functions: z
    .array(identifierConfig)
    .default([])
    .describe("volatile functions that may be called all the same"),
  sensitive: z
    .array(z.string().regex(columnNamePattern, "a column, as `users.email` or `public.users.email`"))
    .default([])
    .describe("columns whose values are masked in previews"),
  maxRows: z.int().positive().max(100_000).default(1_000).describe("the most rows a query gives back"),
  maxBytes: z
    .int()
    .positive()
    .max(3 * 1024 * 1024)
    .default(1024 * 1024)
    .describe("the most bytes a query gives back"),
  maxChanged: z.int().positive().max(1_000_000).default(100_000).describe("the most rows one call changes"),
  connections: z
    .int()
    .positive()
    .max(100)
    .default(4)
    .describe("the most connections to one database at a time"),
  timeout: durationConfig("30s", "10m").describe("of a query or a change"),
  previewTimeout: durationConfig("10s", "1m").describe("of a preview, which holds its locks for as long"),
  lockTimeout: durationConfig("1s", "1m").describe("how long one waits for rows that somebody else holds"),
});

const postgresAdapter = defineAdapter({
  kind: "postgres",
  config: postgresConfig,
  open: ({ connection, connections: most, marker, environment, risk, readRole, ...rest }, opened) => {
    const { timeout, previewTimeout, lockTimeout, ...limits } = rest;
    const connections = new Connections(connection, most);
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
      close: () => connections.close(),
    };
  },
});

/** Creates the adapter for a PostgreSQL database, with the capabilities `query` to read and `execute` to change. */
export type PostgresAdapterOptions = Omit<z.input<typeof postgresConfig>, "connection"> & AdapterScope;

/** Creates the adapter for a PostgreSQL database, with the capabilities `query` to read and `execute` to change. */
export function postgres(connection: string, options: PostgresAdapterOptions = {}): Adapter {
  return postgresAdapter({ ...options, connection });
}

function isInRange(text: string, most: Duration): boolean {
  try {
    const ms = milliseconds(text as Duration);
    return ms >= 1 && ms <= milliseconds(most);
  } catch {
    return false;
  }
}
