import { createRoute, z } from "@hono/zod-openapi";
import { type Call, toRecorded } from "@paraph/core";
import type { Context } from "hono";
import { resolveFieldVisibility } from "../../visibility/field-visibility.ts";
import { createRouter, type Env, type RouteDeps } from "../context.ts";
import { isStillAllowed } from "../middleware/authenticate.ts";
import { findCall, findPlan } from "../middleware/authorization.ts";
import { unknownCall } from "../problem.ts";
import { callEventSchema as eventSchema } from "../schemas/call.ts";
import { callIdSchema, requireAnyScope, toProblemResponses } from "../schemas/common.ts";
import { createEventStream } from "../streams/event-stream.ts";
import { serveLimitedStream } from "../streams/limited-stream.ts";
import { toCloudEvent } from "../views/cloud-event.ts";

const eventRequest = {
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
      .openapi({ description: "The last event received. It takes precedence over `after`.", example: "3" }),
  }),
};

const eventResponses = {
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
  204: { description: "The call is closed and the client has received every event. Do not reconnect." },
};

const listEvents = createRoute({
  operationId: "listCallEvents",
  method: "get",
  path: "/v1/calls/{call}/events",
  tags: ["Calls"],
  summary: "List or stream the events of a call",
  description:
    "With `Accept: text/event-stream`, returns a stream that ends after the closing event. `id` is the event's number, so a client that reconnects with `Last-Event-ID` gets every event once. During an attempt the stream also has `progress` events without a number: how far the attempt is (`fraction`, `message`) and its new output (`output`, with `leftOut` for what was not kept). They may be lost and are not part of the record. Otherwise, returns the list so far.",
  security: requireAnyScope("read", "calls", "admin"),
  request: { params: z.object({ call: callIdSchema }), ...eventRequest },
  responses: {
    ...eventResponses,
    ...toProblemResponses(
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
  summary: "List or stream the events of a plan",
  description:
    "Works as for a call. `stepped` means that a step has ended, and names its call and outcome. The step's own events belong to its call.",
  security: requireAnyScope("read", "calls", "admin"),
  request: { params: z.object({ plan: callIdSchema }), ...eventRequest },
  responses: {
    ...eventResponses,
    ...toProblemResponses(
      "parameter-invalid",
      "not-authenticated",
      "scope-missing",
      "plan-unknown",
      "limit-reached",
    ),
  },
});

export const eventOperations = [listEvents, listPlanEvents];

export function createEventRoutes(parts: RouteDeps) {
  const { service } = parts;
  return createRouter()
    .openapi(listEvents, async (c) => {
      const call = await findCall(c, service, c.req.valid("param").call);
      if (!call) throw unknownCall();
      return respondWithEvents(c, call, readAfter(c.req.valid("header"), c.req.valid("query")), parts);
    })
    .openapi(listPlanEvents, async (c) => {
      const call = await findPlan(c, service, c.req.valid("param").plan);
      return respondWithEvents(c, call, readAfter(c.req.valid("header"), c.req.valid("query")), parts);
    });
}

async function respondWithEvents(c: Context<Env>, call: Call, after: number, parts: RouteDeps) {
  const { service, stopping, log } = parts;
  const principal = c.get("principal");
  const news = toRecorded(call.events).filter(({ seq }) => seq > after);
  if (!c.req.header("accept")?.includes("text/event-stream"))
    return c.json({ events: news.map((event) => toCloudEvent(call, event)) }, 200);
  if (call.state === "closed" && news.length === 0) return c.body(null, 204);
  const signal = AbortSignal.any([c.req.raw.signal, stopping]);
  const { isHidden } = await resolveFieldVisibility(principal, call, service);
  const stream = () =>
    createEventStream({
      after,
      signal,
      // [TRUST 21] Checks the key at each read, so that a revoked key ends the streams that it opened.
      loadCall: async () =>
        (await isStillAllowed(c, service)) ? service.findCall(principal, call.call) : undefined,
      readProgress: async () => ((await isStillAllowed(c, service)) ? service.readProgress(call) : undefined),
      isHidden,
      waitForChange: async (epoch, ms) =>
        void (await service.waitForChange(principal, call.call, epoch, ms, signal)),
      onError: () => log({ level: "error", code: "stream-failed", request: c.get("request") }),
    });
  return serveLimitedStream(c, parts, signal, async () => {
    return new Response(stream(), { headers: { "content-type": "text/event-stream" } });
  });
}

function readAfter(
  header: { readonly "last-event-id"?: string | undefined },
  query: { readonly after: number },
) {
  return parseLastEventId(header["last-event-id"]) ?? query.after;
}

function parseLastEventId(id: string | undefined): number | undefined {
  return id !== undefined && /^\d{1,9}$/.test(id) ? Number(id) : undefined;
}
