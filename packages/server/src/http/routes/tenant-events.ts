import { createRoute, z } from "@hono/zod-openapi";
import { createRouter, type RouteDeps } from "../context.ts";
import { isStillAllowed } from "../middleware/authenticate.ts";
import { requireAnyScope, toProblemResponses } from "../schemas/common.ts";
import { toByteStream } from "../streams/event-stream.ts";
import { serveLimitedStream } from "../streams/limited-stream.ts";

const followTenantEvents = createRoute({
  operationId: "followEvents",
  method: "get",
  path: "/v1/events",
  tags: ["Calls"],
  summary: "Stream hints that calls changed",
  description:
    "Server-sent events, from now on: each `change` names a call, the number of its event and its kind (`asked`, `voted`, `reassigned`, `revealed`, `withdrawn`, `began`, `closed` or `resolved`). People get the changes of every call of the tenant. Agents and services get those of their own. The events are hints without payloads and without replay. After `ready`, and after each new connection, load the data again.",
  security: requireAnyScope("read"),
  responses: {
    200: {
      description: "The changes, as they happen.",
      content: {
        "text/event-stream": {
          schema: z.string().openapi({
            example: 'event: change\ndata: {"call":"call_01k2m4x7p9","seq":4,"kind":"asked"}\n\n',
          }),
        },
      },
    },
    ...toProblemResponses("not-authenticated", "scope-missing", "limit-reached"),
  },
});

export const tenantEventOperations = [followTenantEvents];

const heartbeatMs = 15_000;

export function createTenantEventRoutes(parts: RouteDeps) {
  const { service, stopping, log } = parts;
  return createRouter().openapi(followTenantEvents, async (c) => {
    const signal = AbortSignal.any([c.req.raw.signal, stopping]);
    async function* texts() {
      for await (const news of service.followEvents(c.get("principal"), signal, heartbeatMs)) {
        // [TRUST 21] Checks the caller before each batch, so that a revoked key ends the streams that it opened.
        if (!(await isStillAllowed(c, service))) return;
        if (news === "ready") yield "event: ready\ndata: {}\n\n";
        else if (news === "heartbeat") yield ": still here\n\n";
        else yield news.map((event) => `event: change\ndata: ${JSON.stringify(event)}\n\n`).join("");
      }
    }
    const failed = () => log({ level: "error", code: "stream-failed", request: c.get("request") });
    const headers = { "content-type": "text/event-stream" };
    return (await serveLimitedStream(
      c,
      parts,
      signal,
      async () => new Response(toByteStream(texts(), failed), { headers }),
    )) as never;
  });
}
