import type { Risk } from "@paraph/core";
import { z } from "zod";
import type { Connections } from "./connection/connections.ts";
import { maxStatementLength } from "./statement/statement.ts";

/** The settings and connections that the capabilities of one adapter share. */
export interface SqlContext {
  readonly name: string;
  readonly environment: string | undefined;
  readonly risk: Risk;
  readonly connections: Connections;
  /**
   * The table that records which calls were applied. Without this table, Paraph cannot know whether a call was applied.
   */
  readonly marker: string | undefined;
  readonly ddl: boolean;
  readonly readRole: string | undefined;
  /** The volatile functions that the configuration allows statements to call. */
  readonly functions: readonly string[];
  /** The sensitive columns, each as `table.column` or `schema.table.column`. */
  readonly sensitive: readonly string[];
  readonly maxRows: number;
  readonly maxBytes: number;
  readonly maxChanged: number;
  /** The queries whose new rows the adapter observes, by name. */
  readonly watch: Readonly<Record<string, { readonly query: string; readonly cursor: string }>>;
  readonly timeoutMs: number;
  readonly previewTimeoutMs: number;
  readonly lockTimeoutMs: number;
}

export const sqlInput = z
  .string()
  .min(1)
  .max(maxStatementLength)
  .meta({ contentMediaType: "application/sql" });

export const parametersInput = z
  .array(z.union([z.string(), z.number(), z.boolean(), z.null()]))
  .max(200)
  .default([])
  .describe("the values of $1, $2, …; lists and objects as JSON text");
