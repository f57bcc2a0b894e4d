import { createRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { ObservationFilter, ObservationView } from "../../services/types/observation-types.ts";
import { type Env, type Parts, router } from "../context.ts";
import { holdingStream } from "../export/held-stream.ts";
import { streamOf } from "../export/sse.ts";
import { isStillAllowed } from "../middleware/authenticate.ts";
import { json, limit, needs, problemResponses, time } from "../schemas/common.ts";
import {
  observationEvent as eventSchema,
  observation,
  observationFilters,
  perception,
} from "../schemas/observation.ts";
import { iso } from "../views/call-view.ts";
import { observationEvent } from "../views/cloud-event.ts";
import { defined } from "../views/omit-undefined.ts";

const after = z.coerce.number().int().min(0).optional();

const listObservations = createRoute({
  operationId: "listObservations",
  method: "get",
  path: "/v1/observations",
  tags: ["Observations"],
  summary: "What adapters perceived, oldest first",
  description:
    "With `after`, those after that number; without it, the last `limit` of them. `next` is the number to go on after: a page may be short, even empty, where filters leave little of what was looked at.",
  security: needs("read"),
  request: {
    query: z.object({
      ...observationFilters,
      since: time.optional().openapi({ description: "Written down from this moment on." }),
      after: after.openapi({ description: "Only those after this number.", example: 41 }),
      limit,
    }),
  },
  responses: {
    200: json(z.object({ observations: z.array(observation), next: z.int() }), "A page."),
    ...problemResponses("parameter-invalid", "not-authenticated", "scope-missing"),
  },
});

const followObservations = createRoute({
  operationId: "followObservations",
  method: "get",
  path: "/v1/observations/events",
  tags: ["Observations"],
  summary: "What adapters perceive, as it comes",
  description:
    "With `Accept: text/event-stream` a stream of CloudEvents `dev.paraph.observation.v1`, each with its number as `id`: a reader that comes back with `Last-Event-ID` misses nothing and gets nothing twice. Without it and without `after`, from now on. Otherwise a list of up to 100 of them.",
  security: needs("read"),
  request: {
    query: z.object({ ...observationFilters, after: after.openapi({ description: "From this number on." }) }),
    headers: z.object({
      "last-event-id": z
        .string()
        .optional()
        .openapi({ description: "The last one seen; before `after`.", example: "41" }),
    }),
  },
  responses: {
    200: {
      description: "The observations, oldest first; as a stream without an end.",
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
    ...problemResponses("parameter-invalid", "not-authenticated", "scope-missing", "limit-reached"),
  },
});

const listPerceptions = createRoute({
  operationId: "listPerceptions",
  method: "get",
  path: "/v1/perceptions",
  tags: ["Observations"],
  summary: "How far each adapter has looked",
  security: needs("read"),
  responses: {
    200: json(
      z.object({ perceptions: z.array(perception) }),
      "Every adapter that is asked what it perceives.",
    ),
    ...problemResponses("not-authenticated", "scope-missing"),
  },
});

export const observationOperations = [listObservations, followObservations, listPerceptions];

const batch = 100;
const heartbeatMs = 15_000;

export function observationRoutes(parts: Parts) {
  const { service, stopping, log } = parts;
  const { observations } = service;

  /** Those that are there, then each as it comes. [TRUST 21] A key that was revoked ends what it opened. */
  async function* following(c: Context<Env>, filter: ObservationFilter, signal: AbortSignal) {
    const reader = c.get("principal");
    let after = filter.after ?? (await observations.list(reader, { limit: 1 })).next;
    while (!signal.aborted && (await isStillAllowed(c, service))) {
      const page = await observations.list(reader, { ...filter, after, limit: batch });
      for (const one of page.observations) {
        const said = observationEvent(reader.tenant, one);
        yield `id: ${one.seq}\nevent: ${said.type}\ndata: ${JSON.stringify(said)}\n\n`;
      }
      if (page.next === after) yield ": still here\n\n";
      after = page.next;
      await observations.more(reader, after, heartbeatMs, signal);
    }
  }

  return router()
    .openapi(listObservations, async (c) => {
      const { since, ...filter } = c.req.valid("query");
      const page = await observations.list(c.get("principal"), {
        ...defined(filter),
        ...(since !== undefined && { since: Date.parse(since) }),
      });
      return c.json({ observations: page.observations.map(observationView), next: page.next }, 200);
    })
    .openapi(followObservations, async (c) => {
      const { after: given, ...filter } = c.req.valid("query");
      const last = c.req.valid("header")["last-event-id"];
      const from = last !== undefined && /^\d{1,15}$/.test(last) ? Number(last) : given;
      const wanted = defined({ ...filter, after: from, limit: batch });
      if (!c.req.header("accept")?.includes("text/event-stream")) {
        const reader = c.get("principal");
        const page = await observations.list(reader, wanted);
        const events = page.observations.map((one) => observationEvent(reader.tenant, one));
        return c.json({ events: events as z.output<typeof eventSchema>[] }, 200);
      }
      const signal = AbortSignal.any([c.req.raw.signal, stopping]);
      const texts = following(c, wanted, signal);
      const failed = () => log({ level: "error", code: "stream-failed", request: c.get("request") });
      const headers = { "content-type": "text/event-stream" };
      return (await holdingStream(
        c,
        parts,
        signal,
        async () => new Response(streamOf(texts, failed), { headers }),
      )) as never;
    })
    .openapi(listPerceptions, async (c) => {
      const perceptions = await observations.perceptions(c.get("principal"));
      return c.json(
        {
          perceptions: perceptions.map(({ lookedAt, nextAt, ...rest }) => ({
            ...rest,
            ...(lookedAt !== undefined && { lookedAt: iso(lookedAt) }),
            nextAt: iso(nextAt),
          })),
        },
        200,
      );
    });
}

function observationView({ at, seenAt, data, ...rest }: ObservationView): z.output<typeof observation> {
  return {
    ...rest,
    ...(at !== undefined && { at: iso(at) }),
    seenAt: iso(seenAt),
    ...(data && { data: { ...data } }),
  };
}
