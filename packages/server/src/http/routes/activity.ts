import { createRoute, z } from "@hono/zod-openapi";
import { outcomeKinds } from "@paraph/core";
import type { Context } from "hono";
import {
  type Activity,
  type ActivityFilter,
  activityKinds,
  formatActivityCursor,
  parseActivityCursor,
} from "../../services/activity.ts";
import { createRouter, type Env, type RouteDeps } from "../context.ts";
import { requireStillAllowed } from "../middleware/authenticate.ts";
import { isAuditorOrAdmin } from "../middleware/require-auditor.ts";
import { HttpProblem } from "../problem.ts";
import { activitySchema } from "../schemas/activity.ts";
import {
  callIdSchema,
  capabilityNameSchema,
  pageLimitSchema,
  requireAnyScope,
  timeSchema,
  toProblemResponses,
} from "../schemas/common.ts";
import { activityColumns } from "../streams/activity-csv.ts";
import { toOcsfEvent } from "../streams/activity-ocsf.ts";
import { toCsvStream, toDownload } from "../streams/csv.ts";
import { toNdjsonStream } from "../streams/ndjson.ts";
import { toIso } from "../views/call-view.ts";
import { omitUndefined } from "../views/omit-undefined.ts";

const cursorSchema = z.string().max(160).openapi({ example: "1772357531000.4.call_01k2m4x7p9" });

const listActivity = createRoute({
  operationId: "listActivity",
  method: "get",
  path: "/v1/activity",
  tags: ["Activity"],
  summary: "List requests, votes, effects, undos and resolutions, newest first",
  description:
    "Ids, codes and times, never a payload. Administrators and auditors see all of the tenant. Other principals see what they requested or did. `format=json` returns a page, which may be short or empty and still have a `next`. The other formats stream everything that matches the filters. `csv` is RFC 4180. A value that a spreadsheet would read as a formula begins with an apostrophe. `ocsf` is one event of OCSF 1.8.0 (API Activity, 6003) per line.",
  security: requireAnyScope("read"),
  request: {
    query: z.object({
      plan: callIdSchema.optional().openapi({
        description: "A plan or other composite, with its steps and every call that undoes one of them.",
      }),
      call: callIdSchema.optional(),
      principal: z
        .string()
        .min(1)
        .max(255)
        .optional()
        .openapi({ description: "The requester, or the principal that acted." }),
      capability: capabilityNameSchema.optional(),
      kind: z.enum(activityKinds).optional(),
      outcome: z.enum(outcomeKinds).optional(),
      since: timeSchema.optional().openapi({ description: "From this time on." }),
      until: timeSchema.optional().openapi({ description: "Before this time." }),
      before: cursorSchema
        .optional()
        .openapi({ description: "Only entries older than this one. Use the `next` of the previous page." }),
      limit: pageLimitSchema,
      format: z.enum(["json", "jsonl", "csv", "ocsf"]).default("json"),
    }),
  },
  responses: {
    200: {
      description: "A page, or all entries.",
      content: {
        "application/json": {
          schema: z.object({ activity: z.array(activitySchema), next: cursorSchema.optional() }),
        },
        "application/x-ndjson": { schema: activitySchema },
        "text/csv": { schema: z.string() },
      },
    },
    ...toProblemResponses("parameter-invalid", "not-authenticated", "scope-missing"),
  },
});

export const activityOperations = [listActivity];

/** The number of entries that an export reads per query. */
const exportBatchSize = 1_000;

export function createActivityRoutes({ service, stopping, log }: RouteDeps) {
  const loadPage = (c: Context<Env>, filter: ActivityFilter) => {
    const reader = c.get("principal");
    return service.listActivity(reader, !isAuditorOrAdmin(reader), filter);
  };

  /** Yields all matching entries, page by page. [TRUST 21] A revoked key ends the export. */
  async function* everything(c: Context<Env>, filter: ActivityFilter, signal: AbortSignal) {
    for (let before = filter.before; ; ) {
      const page = await loadPage(c, { ...filter, ...(before && { before }), limit: exportBatchSize });
      yield* page.activity;
      before = page.next;
      if (!before) return;
      signal.throwIfAborted();
      await requireStillAllowed(c, service);
    }
  }

  return createRouter().openapi(listActivity, async (c) => {
    const { format, since, until, before, kind, ...rest } = c.req.valid("query");
    const from = before === undefined ? undefined : parseActivityCursor(before);
    if (before !== undefined && !from)
      throw new HttpProblem("parameter-invalid", "`before` must be the `next` of an earlier page.");
    const filter = {
      ...omitUndefined(rest),
      ...(kind && { kinds: [kind] }),
      ...(since !== undefined && { since: Date.parse(since) }),
      ...(until !== undefined && { until: Date.parse(until) }),
      ...(from && { before: from }),
    };
    if (format === "json") {
      const page = await loadPage(c, filter);
      const next = page.next && formatActivityCursor(page.next);
      return c.json(
        { activity: page.activity.map(toActivityView), ...(next !== undefined && { next }) },
        200,
      );
    }

    const signal = AbortSignal.any([c.req.raw.signal, stopping]);
    const failed = () => log({ level: "error", code: "stream-failed", request: c.get("request") });
    const all = everything(c, filter, signal);
    if (format === "csv")
      return toDownload(
        toCsvStream(activityColumns, all, failed),
        "text/csv; charset=utf-8",
        "activity.csv",
      ) as never;
    const { tenant } = c.get("principal");
    const lines = mapAsync(all, (entry) =>
      format === "ocsf"
        ? toOcsfEvent(entry, tenant, service.findCapability(tenant, entry.capability)?.contract.effect)
        : toActivityView(entry),
    );
    const body = toNdjsonStream(lines, signal, failed);
    return toDownload(body, "application/x-ndjson", `activity.${format}.jsonl`) as never;
  });
}

function toActivityView({ at, declined, ...entry }: Activity) {
  return { ...entry, at: toIso(at), ...(declined && { declined: [...declined] }) };
}

async function* mapAsync<T, R>(items: AsyncIterable<T>, change: (item: T) => R): AsyncGenerator<R> {
  for await (const item of items) yield change(item);
}
