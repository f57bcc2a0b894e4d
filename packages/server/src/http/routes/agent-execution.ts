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
    description: "Your own random word for this taking: sent again with the same, it is the same taking.",
    example: "b1f0c2a4-8e3d-4a57-9c11-7d20e5f6a890",
  });

const commonProblems = [...bodyProblems, "call-unknown", "call-closed"] as const;

const claimSchema = z
  .object({
    call: callSchema,
    perform: z
      .object({
        attempt: z.int(),
        deadline: timeSchema.openapi({ description: "What is not reported by then ends unknown." }),
        withinMs: z.int().openapi({ description: "How long that is from now." }),
        input: anyJsonSchema.openapi({
          description: "What to perform, exactly: a person may have edited it.",
        }),
      })
      .optional()
      .openapi({ description: "Missing where nothing is to be performed: look at the call." }),
  })
  .openapi("Taken");

const claimCall = createRoute({
  operationId: "takeCall",
  method: "post",
  path: "/v1/calls/{call}/take",
  tags: ["Calls"],
  summary: "Take a call that is offered to you, to perform it yourself",
  description:
    "For who asked. The world and policy are looked at once more; then the intent is on record, and only then this answers. A call is taken once.",
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
    200: toJsonResponse(claimSchema, "What to perform, or where the call stands instead."),
    ...toProblemResponses(...commonProblems, "not-offered", "already-taken"),
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
    description: "`not-performed`: certainly nothing happened; `ambiguous`: it may have happened.",
  }),
  code: z.string().max(48).optional().openapi({ description: "A short word for logs.", example: "refused" }),
  message: z.string().max(10_000).optional(),
});

const reportCall = createRoute({
  operationId: "reportCall",
  method: "post",
  path: "/v1/calls/{call}/report",
  tags: ["Calls"],
  summary: "Say what came of a call that you took",
  description:
    "Before its deadline. Ends the call with a receipt that says it was performed by the agent. The same report twice is one.",
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
    ...toProblemResponses(...commonProblems, "capability-unknown", "not-taken", "report-late"),
  },
});

export const agentExecutionOperations = [claimCall, reportCall];

export function createAgentExecutionRoutes({ service }: RouteDeps) {
  const { actions } = service;
  /** [TRUST 9] Another principal's call is unknown here, even to a principal who may read it. */
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
  return { as: said.as, code: said.code ?? said.as, message: said.message ?? "The agent did not say why." };
}
