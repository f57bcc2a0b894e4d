import { createRoute, z } from "@hono/zod-openapi";
import { hasScope, renderSessionSnapshot, snapshotTokens } from "@paraph/core";
import type { Context } from "hono";
import { readSessionSnapshot } from "../../services/session-snapshot.ts";
import { maskForReader } from "../../visibility/mask-for-reader.ts";
import { createRouter, type Env, type RouteDeps } from "../context.ts";
import { HttpProblem } from "../problem.ts";
import { requireAnyScope, toProblemResponses, visibleAsciiSchema } from "../schemas/common.ts";
import { sessionSnapshotSchema } from "../schemas/session.ts";

const etagHeaders = z.object({
  ETag: z.string().openapi({ description: "The version of the snapshot, in quotation marks." }),
});

const getSession = createRoute({
  operationId: "getSession",
  method: "get",
  path: "/v1/sessions/{session}",
  tags: ["Sessions"],
  summary: "Get the state of a session, to resume from it",
  description:
    "The snapshot lists open questions, calls, plans, outcomes and observations of the session, as far as you may see them. It lists as many as fit into `tokens` and counts the older ones. A token is estimated as three bytes of UTF-8. `version` is the hash of the snapshot. Send it as `If-None-Match` to learn whether anything changed. People see all calls of the session. Agents and services see their own.",
  security: requireAnyScope("read", "calls"),
  request: {
    params: z.object({ session: visibleAsciiSchema }),
    headers: z.object({
      "if-none-match": z.string().optional().openapi({ description: "The `ETag` of an earlier response." }),
    }),
    query: z.object({
      tokens: z.coerce
        .number()
        .int()
        .min(snapshotTokens.min)
        .max(snapshotTokens.max)
        .default(snapshotTokens.default)
        .openapi({ description: "The maximum number of tokens of the snapshot as JSON.", example: 2_000 }),
      format: z.enum(["json", "text"]).default("json").openapi({
        description: "`text` is shorter, for the prompt of a model. Texts of people are in quotation marks.",
      }),
    }),
  },
  responses: {
    200: {
      description: "The snapshot.",
      headers: etagHeaders,
      content: {
        "application/json": { schema: sessionSnapshotSchema },
        "text/plain": { schema: z.string() },
      },
    },
    304: { description: "The snapshot is still the same.", headers: etagHeaders },
    ...toProblemResponses("parameter-invalid", "not-authenticated", "scope-missing", "session-unknown"),
  },
});

export const sessionOperations = [getSession];

export function createSessionRoutes({ service }: RouteDeps) {
  return createRouter().openapi(getSession, async (c) => {
    const caller = c.get("caller");
    const reader = c.get("principal");
    const { tokens, format } = c.req.valid("query");
    // [TRUST 21] A key without the scope `read` reads only its own principal's calls, and no observations.
    const canReadAll = hasScope(caller, "read");
    const snapshot = await readSessionSnapshot(service, {
      reader,
      session: c.req.valid("param").session,
      tokens,
      isOwnOnly: !canReadAll,
      canReadObservations: canReadAll,
      showPayloads: async (call) => (await maskForReader(reader, call, service)).payloads,
    });
    if (snapshot.calls.length === 0 && Object.keys(snapshot.folded.calls).length === 0)
      throw sessionUnknown();
    const etag = `"${snapshot.version}"`;
    c.header("etag", etag);
    if (matchesEtag(c, etag)) return c.body(null, 304);
    if (format === "text") return c.text(renderSessionSnapshot(snapshot), 200) as never;
    return c.json(toMutable(snapshot), 200);
  });
}

/** [TRUST 9] The problem for a session without calls that the reader may see, whether or not it exists. */
function sessionUnknown(): HttpProblem {
  const detail =
    "You can see no call of this session. A session begins with the first call that names it. Check the id.";
  return new HttpProblem("session-unknown", detail);
}

/** Compares as RFC 9110 demands for `If-None-Match`: weakly, with a list or `*`. */
function matchesEtag(c: Context<Env>, etag: string): boolean {
  const given = c.req.header("if-none-match");
  if (given === undefined) return false;
  return given.split(",").some((one) => ["*", etag, `W/${etag}`].includes(one.trim()));
}

/** The response types of the API are mutable. */
function toMutable(snapshot: Awaited<ReturnType<typeof readSessionSnapshot>>) {
  return snapshot as never;
}
