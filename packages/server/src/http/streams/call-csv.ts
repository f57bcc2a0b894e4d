import type { z } from "@hono/zod-openapi";
import type { callSummarySchema } from "../schemas/call.ts";
import type { CsvColumn } from "./csv.ts";

/** The columns of the CSV export of calls. */
export const callColumns: readonly CsvColumn<z.output<typeof callSummarySchema>>[] = [
  ["call", ({ call }) => call],
  ["headline", ({ headline }) => headline],
  ["capability", ({ capability }) => capability],
  ["version", ({ version }) => version],
  ["principal", ({ principal }) => principal],
  ["state", ({ state }) => state],
  ["outcome", ({ outcome }) => outcome?.kind],
  ["code", ({ outcome }) => outcome?.code],
  ["finding", ({ finding }) => finding],
  ["created_at", ({ createdAt }) => createdAt],
  ["closed_at", ({ closedAt }) => closedAt],
  ["plan", ({ parent }) => parent?.call],
  ["step", ({ parent }) => parent?.step],
];
