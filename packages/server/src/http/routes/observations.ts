import { createRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { ObservationFilter, ObservationView } from "../../services/observation-service.ts";
import { createRouter, type Env, type RouteDeps } from "../context.ts";
import { isStillAllowed } from "../middleware/authenticate.ts";
import {
  pageLimitSchema,
  requireAnyScope,
  timeSchema,
  toJsonResponse,
  toProblemResponses,
} from "../schemas/common.ts";
import {
  observationEventSchema as eventSchema,
  observationFilters,
  observationSchema,
  pollSchema,
} from "../schemas/observation.ts";
import { toByteStream } from "../streams/event-stream.ts";
import { serveLimitedStream } from "../streams/limited-stream.ts";
import { toIso } from "../views/call-view.ts";
import { toObservationEvent } from "../views/cloud-event.ts";
import { omitUndefined } from "../views/omit-undefined.ts";

const afterSchema = z.coerce.number().int().min(0).optional();

const listObservations = createRoute({
  operationId: "listObservations",
  method: "get",
  path: "/v1/observations",
  tags: ["Observations"],
  summary: "List observations, oldest first",
  description:
    "With `after`, returns observations after that number. Without it, returns the last `limit` of them. `next` is the number to continue after. With filters, a page may be short or empty and still have a `next`.",
  security: requireAnyScope("read"),
  request: {
    query: z.object({
      ...observationFilters,
      since: timeSchema.optional().openapi({ description: "Recorded from this time on." }),
      after: afterSchema.openapi({ description: "Only observations after this number.", example: 41 }),
      limit: pageLimitSchema,
    }),
  },
  responses: {
    200: toJsonResponse(
      z.object({ observations: z.array(observationSchema), next: z.int() }),
      "A page of observations.",
    ),
    ...toProblemResponses("parameter-invalid", "not-authenticated", "scope-missing"),
  },
});

const followObservations = createRoute({
  operationId: "followObservations",
  method: "get",
  path: "/v1/observations/events",
  tags: ["Observations"],
  summary: "Stream observations",
  description:
    "With `Accept: text/event-stream`, returns a stream of CloudEvents `dev.paraph.observation.v1`, each with its number as `id`. A client that reconnects with `Last-Event-ID` gets every observation once. Without it and without `after`, the stream starts now. Otherwise, returns a list of up to 100 observations.",
  security: requireAnyScope("read"),
  request: {
    query: z.object({
      ...observationFilters,
      after: afterSchema.openapi({ description: "Only observations after this number." }),
    }),
    headers: z.object({
      "last-event-id": z.string().optional().openapi({
        description: "The last observation received. It takes precedence over `after`.",
        example: "41",
      }),
    }),
  },
  responses: {
    200: {
      description: "The observations, oldest first. A stream does not end.",
      content: {
        "application/json": { schema: z.object({ events: z.array(eventSchema) }) },
        "text/event-stream": {
          schema: z.string().openapi({
            example:
              'id: 42\nevent: dev.paraph.observation.v1\ndata: {"specversion":"1.0","id":"obs_acme_42",…}\n\n',
          }),
        },
      },
    },
    ...toProblemResponses("parameter-invalid", "not-authenticated", "scope-missing", "limit-reached"),
  },
});

const listPolls = createRoute({
  operationId: "listPolls",
  method: "get",
  path: "/v1/polls",
  tags: ["Observations"],
  summary: "List how far each adapter has been polled",
  security: requireAnyScope("read"),
  responses: {
    200: toJsonResponse(z.object({ polls: z.array(pollSchema) }), "Every adapter that Paraph polls."),
    ...toProblemResponses("not-authenticated", "scope-missing"),
  },
});

export const observationOperations = [listObservations, followObservations, listPolls];

const batchSize = 100;
const heartbeatMs = 15_000;

export function createObservationRoutes(parts: RouteDeps) {
  const { service, stopping, log } = parts;
  const { observations } = service;

  /** Yields the existing observations, then each new one. [TRUST 21] A revoked key ends the streams that it opened. */
  async function* following(
    c: Context<Env>,
    filter: ObservationFilter & { readonly after: number },
    signal: AbortSignal,
  ) {
    const reader = c.get("principal");
    let { after } = filter;
    while (!signal.aborted && (await isStillAllowed(c, service))) {
      const page = await observations.list(reader, { ...filter, after, limit: batchSize });
      for (const one of page.observations) {
        const said = toObservationEvent(reader.tenant, one);
        yield `id: ${one.seq}\nevent: ${said.type}\ndata: ${JSON.stringify(said)}\n\n`;
      }
      if (page.next === after) yield ": still here\n\n";
      after = page.next;
      await observations.waitForMore(reader, after, heartbeatMs, signal);
    }
  }

  return createRouter()
    .openapi(listObservations, async (c) => {
      const { since, ...filter } = c.req.valid("query");
      const page = await observations.list(c.get("principal"), {
        ...omitUndefined(filter),
        ...(since !== undefined && { since: Date.parse(since) }),
      });
      return c.json({ observations: page.observations.map(toObservationView), next: page.next }, 200);
    })
    .openapi(followObservations, async (c) => {
      const { after, ...filter } = c.req.valid("query");
      const last = c.req.valid("header")["last-event-id"];
      const from = last !== undefined && /^\d{1,15}$/.test(last) ? Number(last) : after;
      const wanted = omitUndefined({ ...filter, after: from, limit: batchSize });
      if (!c.req.header("accept")?.includes("text/event-stream")) {
        const reader = c.get("principal");
        const page = await observations.list(reader, wanted);
        const events = page.observations.map((one) => toObservationEvent(reader.tenant, one));
        return c.json({ events: events as z.output<typeof eventSchema>[] }, 200);
      }
      const signal = AbortSignal.any([c.req.raw.signal, stopping]);
      // The position is known before the response begins, so that a client misses nothing that happens after it.
      const start = from ?? (await observations.list(c.get("principal"), { limit: 1 })).next;
      const texts = following(c, { ...wanted, after: start }, signal);
      const failed = () => log({ level: "error", code: "stream-failed", request: c.get("request") });
      const headers = { "content-type": "text/event-stream" };
      return (await serveLimitedStream(
        c,
        parts,
        signal,
        async () => new Response(toByteStream(texts, failed), { headers }),
      )) as never;
    })
    .openapi(listPolls, async (c) => {
      const polls = await observations.listPolls(c.get("principal"));
      return c.json(
        {
          polls: polls.map(({ polledAt, nextAt, ...rest }) => ({
            ...rest,
            ...(polledAt !== undefined && { polledAt: toIso(polledAt) }),
            nextAt: toIso(nextAt),
          })),
        },
        200,
      );
    });
}

function toObservationView({
  at,
  observedAt,
  data,
  ...rest
}: ObservationView): z.output<typeof observationSchema> {
  return {
    ...rest,
    ...(at !== undefined && { at: toIso(at) }),
    observedAt: toIso(observedAt),
    ...(data && { data: { ...data } }),
  };
}
