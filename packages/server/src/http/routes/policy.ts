import { createRoute, z } from "@hono/zod-openapi";
import type { Json } from "@paraph/core";
import { createRouter, type RouteDeps } from "../context.ts";
import { takeWhileAllowed } from "../middleware/authenticate.ts";
import { findCall } from "../middleware/authorization.ts";
import { requireAuditor } from "../middleware/require-auditor.ts";
import { HttpProblem, unknownCall } from "../problem.ts";
import {
  bodyProblems,
  callIdSchema,
  requireAnyScope,
  timeSchema,
  toJsonResponse,
  toProblemResponses,
} from "../schemas/common.ts";
import {
  backtestLineSchema,
  type ExplanationView,
  explanationSchema,
  newBacktestSchema,
  newWhatIfSchema,
  type PolicyReportView,
  type PolicyView,
  policyReportSchema,
  policySchema,
  whatIfSchema,
} from "../schemas/policy.ts";
import { toNdjsonStream } from "../streams/ndjson.ts";
import { toPreviewResult } from "../views/preview-result.ts";

const auditorsOnly = "For members of `paraph:admins` and `paraph:auditors`.";

const getPolicy = createRoute({
  operationId: "getPolicy",
  method: "get",
  path: "/v1/policy",
  tags: ["Policy"],
  summary: "Get the policies in force",
  description: auditorsOnly,
  security: requireAnyScope("read"),
  responses: {
    200: toJsonResponse(policySchema, "The policy set in force."),
    ...toProblemResponses("not-authenticated", "scope-missing", "role-missing"),
  },
});

const getReport = createRoute({
  operationId: "getPolicyReport",
  method: "get",
  path: "/v1/policy/report",
  tags: ["Policy"],
  summary: "Get a report on the rulings of policy",
  description: `How many calls policy allowed, checked, sent to approvers and blocked, and which policies did so. In observe mode, the rulings are only recorded. ${auditorsOnly}`,
  security: requireAnyScope("read"),
  request: {
    query: z.object({
      since: timeSchema.optional().openapi({ description: "Calls since this time (default: the last day)." }),
      until: timeSchema.optional(),
    }),
  },
  responses: {
    200: toJsonResponse(policyReportSchema, "The report."),
    ...toProblemResponses("parameter-invalid", "not-authenticated", "scope-missing", "role-missing"),
  },
});

const createBacktest = createRoute({
  operationId: "backtestPolicy",
  method: "post",
  path: "/v1/policy/backtest",
  tags: ["Policy"],
  summary: "Backtest a candidate policy set with past calls",
  description: `Returns the calls that these policies would have ruled on differently. Changes nothing. The response has one JSON object per line: the progress, and finally the result. ${auditorsOnly}`,
  security: requireAnyScope("read"),
  request: { body: { required: true, content: { "application/json": { schema: newBacktestSchema } } } },
  responses: {
    200: {
      description: "Progress, then the result.",
      content: { "application/x-ndjson": { schema: backtestLineSchema } },
    },
    ...toProblemResponses(...bodyProblems, "role-missing", "policy-invalid"),
  },
});

const askWhatIf = createRoute({
  operationId: "askWhatIf",
  method: "post",
  path: "/v1/policy/what-if",
  tags: ["Policy"],
  summary: "Get the ruling on a request that another principal could send",
  description: `Rules with the policies in force and the current state. Creates no call and asks no approver. The response contains no preview, because the reader may not see what the requester could see. ${auditorsOnly}`,
  security: requireAnyScope("read"),
  request: { body: { required: true, content: { "application/json": { schema: newWhatIfSchema } } } },
  responses: {
    200: toJsonResponse(whatIfSchema, "The ruling."),
    ...toProblemResponses(
      ...bodyProblems,
      "role-missing",
      "capability-unknown",
      "capability-unavailable",
      "input-invalid",
      "frozen",
    ),
  },
});

const getRulings = createRoute({
  operationId: "explainRulings",
  method: "get",
  path: "/v1/calls/{call}/rulings",
  tags: ["Policy"],
  summary: "Explain the rulings of a call",
  description:
    "For each ruling: the policies that determined it, the evidence that satisfied guards, and the unmet demands.",
  security: requireAnyScope("read", "calls", "admin"),
  request: { params: z.object({ call: callIdSchema }) },
  responses: {
    200: toJsonResponse(explanationSchema, "Every ruling, oldest first."),
    ...toProblemResponses("not-authenticated", "scope-missing", "call-unknown"),
  },
});

export const policyOperations = [getPolicy, getReport, createBacktest, askWhatIf, getRulings];

const dayMs = 24 * 60 * 60 * 1_000;

export function createPolicyRoutes({ service, stopping, log }: RouteDeps) {
  const { policy } = service;
  return createRouter()
    .openapi(getPolicy, async (c) => {
      const principal = requireAuditor(c.get("principal"));
      return c.json((await policy.readActivePolicy(principal)) as PolicyView, 200);
    })
    .openapi(getReport, async (c) => {
      const principal = requireAuditor(c.get("principal"));
      const { since, until } = c.req.valid("query");
      const end = until === undefined ? Date.now() : Date.parse(until);
      const begin = since === undefined ? end - dayMs : Date.parse(since);
      return c.json((await policy.reportRulings(principal, begin, end)) as PolicyReportView, 200);
    })
    .openapi(createBacktest, async (c) => {
      const principal = requireAuditor(c.get("principal"));
      const signal = AbortSignal.any([c.req.raw.signal, stopping]);
      const backtest = await policy.backtest(principal, c.req.valid("json"), signal);
      if (backtest.kind === "invalid") throw invalidPolicy(backtest.faults);
      const failed = () => log({ level: "error", code: "stream-failed", request: c.get("request") });
      return new Response(toNdjsonStream(takeWhileAllowed(c, service, backtest.lines), signal, failed), {
        headers: { "content-type": "application/x-ndjson" },
      }) as never;
    })
    .openapi(askWhatIf, async (c) => {
      const reader = requireAuditor(c.get("principal"));
      const { input, ...request } = c.req.valid("json");
      const evaluated = await policy.whatIf(reader, { ...request, input: input as Json });
      if (!evaluated)
        throw new HttpProblem(
          "body-invalid",
          "There is no principal with this id. `GET /v1/principals` lists them.",
        );
      // [TRUST 16] The preview and the message of its fault may contain values that the reader may not see.
      const { preview: _, fault, ...result } = toPreviewResult(request.capability, evaluated);
      return c.json({ ...result, ...(fault && { fault: { code: fault.code } }) }, 200);
    })
    .openapi(getRulings, async (c) => {
      const call = await findCall(c, service, c.req.valid("param").call);
      if (!call) throw unknownCall();
      return c.json((await policy.explainCall(call)) as ExplanationView, 200);
    });
}

function invalidPolicy(faults: readonly { file: string; line?: number; sentence: string }[]): HttpProblem {
  return new HttpProblem("policy-invalid", "The candidate policy set is not valid. See `faults`.", {
    extra: { faults: faults.slice(0, 100) },
  });
}
