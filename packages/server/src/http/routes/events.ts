import { createRoute, z } from "@hono/zod-openapi";
import { callerOf } from "../authenticate.ts";
import { cloudEvent } from "../cloud-event.ts";
import { type Parts, router } from "../context.ts";
import { unknownCall } from "../problem.ts";
import { findCall } from "../reach.ts";
import { cloudEvent as eventSchema } from "../schemas/call.ts";
import { callId, needs, problemResponses } from "../schemas/common.ts";
import { eventStream } from "../sse.ts";

const listEvents = createRoute({
  operationId: "listCallEvents",
  method: "get",
  path: "/v1/calls/{call}/events",
  tags: ["Calls"],
  summary: "The events of a call, as a list or as they come",
  description:
    "With `Accept: text/event-stream` a stream that ends after the closing event: `id` is the event's number, so a reader that comes back with `Last-Event-ID` misses nothing and gets nothing twice. Otherwise the list so far.",
  security: needs("read", "calls", "admin"),
  request: {
    params: z.object({ call: callId }),
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
  },
  responses: {
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
    ...problemResponses("parameter-invalid", "not-authenticated", "scope-missing", "call-unknown"),
  },
});

export const eventOperations = [listEvents];

export function eventRoutes({ service, stopping, log }: Parts) {
  return router().openapi(listEvents, async (c) => {
    const principal = c.get("principal");
    const name = c.req.valid("param").call;
    const call = await findCall(c, service, name);
    if (!call) throw unknownCall();
    const after = resumeAfter(c.req.valid("header")["last-event-id"]) ?? c.req.valid("query").after;
    const news = call.events.filter(({ seq }) => seq > after);

    if (!c.req.header("accept")?.includes("text/event-stream")) {
      return c.json({ events: news.map((event) => cloudEvent(call, event)) }, 200);
    }
    if (call.state === "closed" && news.length === 0) return c.body(null, 204);
    const signal = AbortSignal.any([c.req.raw.signal, stopping]);
    const stream = eventStream({
      after,
      signal,
      // [TRUST 21] A key that was revoked ends what it opened.
      look: async () => ((await callerOf(c, service)) ? service.find(principal, name) : undefined),
      changed: async (epoch, ms) => void (await service.changed(principal, name, epoch, ms, signal)),
      failed: () => log({ level: "error", code: "stream-failed", request: c.get("request") }),
    });
    return new Response(stream, { headers: { "content-type": "text/event-stream" } });
  });
}

function resumeAfter(id: string | undefined): number | undefined {
  return id !== undefined && /^\d{1,9}$/.test(id) ? Number(id) : undefined;
}
