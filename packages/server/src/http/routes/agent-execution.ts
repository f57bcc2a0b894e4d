import { createRoute, z } from "@hono/zod-openapi";
import type { Json, Report } from "@paraph/core";
import type { Context } from "hono";
import { createRouter, type Env, type RouteDeps } from "../context.ts";
import { findCall, requireCapabilityScope } from "../middleware/authorization.ts";
import { unknownCall } from "../problem.ts";
import { callSchema } from "../schemas/call.ts";
import {
  anyJsonSchema,
  bodyProblems,
  callIdSchema,
  requireAnyScope,
  timeSchema,
  toJsonResponse,
  toProblemResponses,
} from "../schemas/common.ts";
import { toCallView, toIso } from "../views/call-view.ts";

const claimTokenSchema = z
  .string()
  .regex(/^[A-Za-z0-9_-]{16,128}$/, "16 to 128 letters, digits, `-` or `_`")
  .openapi({
    description:
      "A random token that you choose. A repeated request with the same token has no further effect.",
    example: "b1f0c2a4-8e3d-4a57-9c11-7d20e5f6a890",
  });

const commonProblems = [...bodyProblems, "call-unknown", "call-closed"] as const;

const claimSchema = z
  .object({
    call: callSchema,
    perform: z
      .object({
        attempt: z.int(),
        deadline: timeSchema.openapi({
          description: "Without a report by this time, the outcome is unknown.",
        }),
        withinMs: z.int().openapi({ description: "Time from now until the deadline." }),
        input: anyJsonSchema.openapi({
          description: "The exact input to perform. A person may have edited it.",
        }),
      })
      .optional()
      .openapi({ description: "Missing if there is nothing to perform. Read the call for the reason." }),
  })
  .openapi("Taken");

const claimCall = createRoute({
  operationId: "takeCall",
  method: "post",
  path: "/v1/calls/{call}/claim",
  tags: ["Calls"],
  summary: "Take a call that is offered to you, and perform it",
  description:
    "For the requester. Paraph checks the preview and policy again and records the intent before it responds. A call can be taken once.",
  security: requireAnyScope("calls", "admin"),
  request: {
    params: z.object({ call: callIdSchema }),
    body: {
      required: true,
      content: {
        "application/json": { schema: z.strictObject({ claimToken: claimTokenSchema }).openapi("Take") },
      },
    },
  },
  responses: {
    200: toJsonResponse(claimSchema, "The input to perform, or the state of the call."),
    ...toProblemResponses(...commonProblems, "not-offered", "already-claimed"),
  },
});

const successReportSchema = z.strictObject({
  claimToken: claimTokenSchema,
  as: z.literal("succeeded"),
  output: anyJsonSchema.refine((value) => value !== undefined, "required"),
});

const failureReportSchema = z.strictObject({
  claimToken: claimTokenSchema,
  as: z.enum(["not-performed", "ambiguous"]).openapi({
    description: "`not-performed`: the effect certainly did not happen. `ambiguous`: it may have happened.",
  }),
  code: z.string().max(48).optional().openapi({ description: "A short code for logs.", example: "refused" }),
  message: z.string().max(10_000).optional(),
});

const reportCall = createRoute({
  operationId: "reportCall",
  method: "post",
  path: "/v1/calls/{call}/report",
  tags: ["Calls"],
  summary: "Report the result of a call that you took",
  description:
    "Send the report before the deadline. It closes the call with a receipt that names the agent as its performer. A repeated report has no further effect.",
  security: requireAnyScope("calls", "admin"),
  request: {
    params: z.object({ call: callIdSchema }),
    body: {
      required: true,
      content: {
        "application/json": {
          schema: z.discriminatedUnion("as", [successReportSchema, failureReportSchema]).openapi("Report"),
        },
      },
    },
  },
  responses: {
    200: toJsonResponse(callSchema, "The call, closed."),
    ...toProblemResponses(...commonProblems, "capability-unknown", "not-claimed", "report-late"),
  },
});

export const agentExecutionOperations = [claimCall, reportCall];

export function createAgentExecutionRoutes({ service }: RouteDeps) {
  const { actions } = service;
  /**
   * [TRUST 9] Returns the id of the caller's own call. Another principal's call is reported as unknown, even to a
   * principal who may read it.
   */
  const own = async (c: Context<Env>, id: string) => {
    const call = await findCall(c, service, id);
    if (call?.principal.id !== c.get("principal").id) throw unknownCall();
    requireCapabilityScope(c, call.capability);
    return call.call;
  };
  return createRouter()
    .openapi(claimCall, async (c) => {
      const by = c.get("principal");
      const call = await own(c, c.req.valid("param").call);
      const { call: now, perform } = await actions.claim({
        call,
        by,
        claimToken: c.req.valid("json").claimToken,
      });
      const view = await toCallView(now, by, service);
      if (!perform) return c.json({ call: view }, 200);
      const { attempt, deadline, withinMs, input } = perform;
      return c.json({ call: view, perform: { attempt, deadline: toIso(deadline), withinMs, input } }, 200);
    })
    .openapi(reportCall, async (c) => {
      const by = c.get("principal");
      const call = await own(c, c.req.valid("param").call);
      const { claimToken, ...said } = c.req.valid("json");
      const ended = await actions.report({ call, by, claimToken, report: toReport(said) });
      return c.json(await toCallView(ended, by, service), 200);
    });
}

function toReport(
  said:
    | Omit<z.output<typeof successReportSchema>, "claimToken">
    | Omit<z.output<typeof failureReportSchema>, "claimToken">,
): Report {
  if (said.as === "succeeded") return { as: said.as, output: said.output as Json };
  return { as: said.as, code: said.code ?? said.as, message: said.message ?? "The agent gave no reason." };
}
