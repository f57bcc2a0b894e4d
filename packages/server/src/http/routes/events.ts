import { createRoute, z } from "@hono/zod-openapi";
import { type Call, toRecorded } from "@paraph/core";
import type { Context } from "hono";
import { type Env, type Parts, router } from "../context.ts";
import { holdingStream } from "../export/held-stream.ts";
import { eventStream } from "../export/sse.ts";
import { isStillAllowed } from "../middleware/authenticate.ts";
import { findCall, findPlan } from "../middleware/authorization.ts";
import { unknownCall } from "../problem.ts";
import { cloudEvent as eventSchema } from "../schemas/call.ts";
import { callId, needs, problemResponses } from "../schemas/common.ts";
import { cloudEvent } from "../views/cloud-event.ts";
import { sightOf } from "../views/field-visibility.ts";

const request = {
  query: z.object({
    after: z.coerce
      .number()
      .int()
      .min(0)
      .default(0)
      .openapi({ description: "Only events after this number." }),
  }),
  headers: z.object({
    "last-event-id": z
      .string()
      .optional()
      .openapi({ description: "The last event seen; before `after`.", example: "3" }),
  }),
};

const told = {
  200: {
    description: "The events, oldest first.",
    content: {
      "application/json": { schema: z.object({ events: z.array(eventSchema) }) },
      "text/event-stream": {
        schema: z.string().openapi({
          example:
            'id: 2\nevent: dev.paraph.call.ruled.v1\ndata: {"specversion":"1.0","id":"call_01k2m4x7p9.2",…}\n\n',
        }),
      },
    },
  },
  204: { description: "The call is closed and the reader has seen everything: do not come back." },
};

const listEvents = createRoute({
  operationId: "listCallEvents",
  method: "get",
  path: "/v1/calls/{call}/events",
  tags: ["Calls"],
  summary: "The events of a call, as a list or as they come",
  description:
    "With `Accept: text/event-stream` a stream that ends after the closing event: `id` is the event's number, so a reader that comes back with `Last-Event-ID` misses nothing and gets nothing twice. While an attempt lasts, events called `progress` come between them, without a number: how far it is (`fraction`, `message`) and what it has put out since (`output`, with `leftOut` for what was not kept). They may be lost and are no part of the record. Otherwise the list so far.",
  security: needs("read", "calls", "admin"),
  request: { params: z.object({ call: callId }), ...request },
  responses: {
    ...told,
    ...problemResponses(
      "parameter-invalid",
      "not-authenticated",
      "scope-missing",
      "call-unknown",
      "limit-reached",
    ),
  },
});

const listPlanEvents = createRoute({
  operationId: "listPlanEvents",
  method: "get",
  path: "/v1/plans/{plan}/events",
  tags: ["Plans"],
  summary: "The progress of a plan, as a list or as it comes",
  description:
    "As for a call. `stepped` tells that a step has ended, as which call and how; a step's own events are its call's.",
  security: needs("read", "calls", "admin"),
  request: { params: z.object({ plan: callId }), ...request },
  responses: {
    ...told,
    ...problemResponses(
      "parameter-invalid",
      "not-authenticated",
      "scope-missing",
      "plan-unknown",
      "limit-reached",
    ),
  },
});

export const eventOperations = [listEvents, listPlanEvents];

export function eventRoutes(parts: Parts) {
  const { service } = parts;
  return router()
    .openapi(listEvents, async (c) => {
      const call = await findCall(c, service, c.req.valid("param").call);
      if (!call) throw unknownCall();
      return answer(c, call, afterIn(c.req.valid("header"), c.req.valid("query")), parts);
    })
    .openapi(listPlanEvents, async (c) => {
      const call = await findPlan(c, service, c.req.valid("param").plan);
      return answer(c, call, afterIn(c.req.valid("header"), c.req.valid("query")), parts);
    });
}

async function answer(c: Context<Env>, call: Call, after: number, parts: Parts) {
  const { service, stopping, log } = parts;
  const principal = c.get("principal");
  const news = toRecorded(call.events).filter(({ seq }) => seq > after);
  if (!c.req.header("accept")?.includes("text/event-stream"))
    return c.json({ events: news.map((event) => cloudEvent(call, event)) }, 200);
  if (call.state === "closed" && news.length === 0) return c.body(null, 204);
  const signal = AbortSignal.any([c.req.raw.signal, stopping]);
  const { hidden } = await sightOf(principal, call, service);
  const stream = () =>
    eventStream({
      after,
      signal,
      // [TRUST 21] A key that was revoked ends what it opened.
      look: async () => ((await isStillAllowed(c, service)) ? service.find(principal, call.call) : undefined),
      progress: async () => ((await isStillAllowed(c, service)) ? service.progress(call) : undefined),
      hidden,
      changed: async (epoch, ms) => void (await service.changed(principal, call.call, epoch, ms, signal)),
      failed: () => log({ level: "error", code: "stream-failed", request: c.get("request") }),
    });
  return holdingStream(c, parts, signal, async () => {
    return new Response(stream(), { headers: { "content-type": "text/event-stream" } });
  });
}

function afterIn(
  header: { readonly "last-event-id"?: string | undefined },
  query: { readonly after: number },
) {
  return resumeAfter(header["last-event-id"]) ?? query.after;
}

function resumeAfter(id: string | undefined): number | undefined {
  return id !== undefined && /^\d{1,9}$/.test(id) ? Number(id) : undefined;
}
