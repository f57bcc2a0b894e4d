import { createRoute, z } from "@hono/zod-openapi";
import { type Parts, router } from "../context.ts";
import { ndjson } from "../export/ndjson.ts";
import { whileAllowed } from "../middleware/authenticate.ts";
import { findCall } from "../middleware/authorization.ts";
import { overseer } from "../middleware/require-auditor.ts";
import { Problem, unknownCall } from "../problem.ts";
import { callId, json, needs, problemResponses, sendingProblems, time } from "../schemas/common.ts";
import {
  backtestLine,
  type ExplanationView,
  explanation,
  newBacktest,
  type PolicyReportView,
  type PolicyView,
  policyReport,
  policyView,
} from "../schemas/policy.ts";

const overseers = "For members of `paraph:admins` and `paraph:auditors`.";

const getPolicy = createRoute({
  operationId: "getPolicy",
  method: "get",
  path: "/v1/policy",
  tags: ["Policy"],
  summary: "The policies in force",
  description: overseers,
  security: needs("read"),
  responses: {
    200: json(policyView, "The set in force, policy by policy."),
    ...problemResponses("not-authenticated", "scope-missing", "role-missing"),
  },
});

const getReport = createRoute({
  operationId: "getPolicyReport",
  method: "get",
  path: "/v1/policy/report",
  tags: ["Policy"],
  summary: "What policy said, or would have said",
  description: `How many calls were let pass, checked, asked about and refused, and by which policy: in observe mode what it would have been, with nothing hindered. ${overseers}`,
  security: needs("read"),
  request: {
    query: z.object({
      since: time.optional().openapi({ description: "Calls made since then: the last day unless given." }),
      until: time.optional(),
    }),
  },
  responses: {
    200: json(policyReport, "The report."),
    ...problemResponses("parameter-invalid", "not-authenticated", "scope-missing", "role-missing"),
  },
});

const createBacktest = createRoute({
  operationId: "backtestPolicy",
  method: "post",
  path: "/v1/policy/backtest",
  tags: ["Policy"],
  summary: "Put the calls of the past to a candidate",
  description: `Which calls would have gone another way, had these policies been in force. Nothing is changed. The answer is one JSON object per line: how far it is, and at last what was found. ${overseers}`,
  security: needs("read"),
  request: { body: { required: true, content: { "application/json": { schema: newBacktest } } } },
  responses: {
    200: {
      description: "Progress, then the result.",
      content: { "application/x-ndjson": { schema: backtestLine } },
    },
    ...problemResponses(...sendingProblems, "role-missing", "policy-invalid"),
  },
});

const getRulings = createRoute({
  operationId: "explainRulings",
  method: "get",
  path: "/v1/calls/{call}/rulings",
  tags: ["Policy"],
  summary: "Why policy said what it said of a call",
  description: "Each ruling: the policies that determined it, what evidence lifted what, what is needed.",
  security: needs("read", "calls", "admin"),
  request: { params: z.object({ call: callId }) },
  responses: {
    200: json(explanation, "Every ruling, oldest first."),
    ...problemResponses("not-authenticated", "scope-missing", "call-unknown"),
  },
});

export const policyOperations = [getPolicy, getReport, createBacktest, getRulings];

const dayMs = 24 * 60 * 60 * 1_000;

export function policyRoutes({ service, stopping, log }: Parts) {
  const { policy } = service;
  return router()
    .openapi(getPolicy, async (c) => {
      const principal = overseer(c.get("principal"));
      return c.json((await policy.show(principal)) as PolicyView, 200);
    })
    .openapi(getReport, async (c) => {
      const principal = overseer(c.get("principal"));
      const { since, until } = c.req.valid("query");
      const end = until === undefined ? Date.now() : Date.parse(until);
      const begin = since === undefined ? end - dayMs : Date.parse(since);
      return c.json((await policy.report(principal, begin, end)) as PolicyReportView, 200);
    })
    .openapi(createBacktest, async (c) => {
      const principal = overseer(c.get("principal"));
      const signal = AbortSignal.any([c.req.raw.signal, stopping]);
      const backtest = await policy.backtest(principal, c.req.valid("json"), signal);
      if (backtest.kind === "invalid") throw notPolicies(backtest.faults);
      const failed = () => log({ level: "error", code: "stream-failed", request: c.get("request") });
      return new Response(ndjson(whileAllowed(c, service, backtest.lines), signal, failed), {
        headers: { "content-type": "application/x-ndjson" },
      }) as never;
    })
    .openapi(getRulings, async (c) => {
      const call = await findCall(c, service, c.req.valid("param").call);
      if (!call) throw unknownCall();
      return c.json((await policy.explain(call)) as ExplanationView, 200);
    });
}

function notPolicies(faults: readonly { file: string; line?: number; sentence: string }[]): Problem {
  return new Problem("policy-invalid", "The candidate is not a set of policies: `faults` says where.", {
    extra: { faults: faults.slice(0, 100) },
  });
}
