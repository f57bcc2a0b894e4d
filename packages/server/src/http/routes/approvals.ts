import { createRoute, z } from "@hono/zod-openapi";
import { type Decision, type Json, type Principal, seesEverything } from "@paraph/core";
import type { ApprovalSummary, FloodKey } from "../../services/paraph-service.ts";
import { createRouter, type RouteDeps } from "../context.ts";
import { requireApproval } from "../middleware/authorization.ts";
import { HttpProblem, unknownApproval } from "../problem.ts";
import {
  approvalBundleSchema,
  approvalSchema,
  approvalSummarySchema,
  approversSchema,
  decisionSchema,
  passkeyChallengeSchema,
  passkeyRequestSchema,
  roundStatuses,
} from "../schemas/approval.ts";
import { callSchema } from "../schemas/call.ts";
import {
  approvalIdSchema,
  capabilityNameSchema,
  decisionProblems,
  pageLimitSchema,
  requireAnyScope,
  toJsonResponse,
  toProblemResponses,
} from "../schemas/common.ts";
import { toApprovalSummaryView, toApprovalView, toCallView } from "../views/call-view.ts";
import { listVoterStatuses } from "../views/voter-status.ts";

const listApprovals = createRoute({
  operationId: "listApprovals",
  method: "get",
  path: "/v1/approvals",
  tags: ["Approvals"],
  summary: "List approvals, newest first",
  description: "For people only.",
  security: requireAnyScope("read", "decide"),
  request: {
    query: z.object({
      status: z.enum(roundStatuses).default("open"),
      before: approvalIdSchema
        .optional()
        .openapi({ description: "Only approvals older than this one. Use the `next` of the previous page." }),
      limit: pageLimitSchema,
      principal: z.string().min(1).max(255).optional().openapi({
        description:
          "Only open approvals of this requester, with `capability`. Lists the items of a bundle separately, on one page.",
      }),
      capability: capabilityNameSchema
        .optional()
        .openapi({ description: "Only open approvals of this capability, with `principal`." }),
    }),
  },
  responses: {
    200: toJsonResponse(
      z.object({
        approvals: z.array(approvalSummarySchema),
        bundles: z
          .array(approvalBundleSchema)
          .optional()
          .openapi({ description: "Bundles of many similar approvals, which are not listed separately." }),
        next: approvalIdSchema.optional(),
      }),
      "A page of approvals.",
    ),
    ...toProblemResponses("parameter-invalid", "not-authenticated", "scope-missing", "approver-not-allowed"),
  },
});

const getApproval = createRoute({
  operationId: "getApproval",
  method: "get",
  path: "/v1/approvals/{approval}",
  tags: ["Approvals"],
  summary: "Get everything that an approver needs to decide",
  description:
    "Reading an approval does not decide it. A void round names the newest round. If you read it with a browser session, notices about it count as opened.",
  security: requireAnyScope("read", "decide"),
  request: { params: z.object({ approval: approvalIdSchema }) },
  responses: {
    200: toJsonResponse(approvalSchema, "The round, or a link to the newest one."),
    ...toProblemResponses("not-authenticated", "scope-missing", "approval-unknown"),
  },
});

const listApprovers = createRoute({
  operationId: "listApprovers",
  method: "get",
  path: "/v1/approvals/{approval}/approvers",
  tags: ["Approvals"],
  summary: "List who can approve",
  description:
    "The people whose approval would count now, by id. They have not voted, and nothing rules them out, such as their own request. Empty if the approval is closed. For people only.",
  security: requireAnyScope("read", "decide"),
  request: { params: z.object({ approval: approvalIdSchema }) },
  responses: {
    200: toJsonResponse(approversSchema, "The people, by id."),
    ...toProblemResponses(
      "parameter-invalid",
      "not-authenticated",
      "scope-missing",
      "approver-not-allowed",
      "approval-unknown",
    ),
  },
});

const decideApproval = createRoute({
  operationId: "decideApproval",
  method: "post",
  path: "/v1/approvals/{approval}/decision",
  tags: ["Approvals"],
  summary: "Approve, deny, or return with instructions",
  description:
    "For a plan, you decide all steps, or all except those in `declined`. The vote counts only for the digest that you send. The requester and the owner of the requesting agent cannot approve while another person could. An approval with `needsPasskey` also needs `passkey`, for the same `declined` and `answer` as its challenge.",
  security: requireAnyScope("decide"),
  request: {
    params: z.object({ approval: approvalIdSchema }),
    body: { required: true, content: { "application/json": { schema: decisionSchema } } },
  },
  responses: {
    200: toJsonResponse(callSchema, "The vote is recorded. Returns the call."),
    ...toProblemResponses(...decisionProblems, "passkey-required", "passkey-invalid", "input-invalid"),
  },
});

const createPasskeyChallenge = createRoute({
  operationId: "createPasskeyChallenge",
  method: "post",
  path: "/v1/approvals/{approval}/passkey",
  tags: ["Approvals"],
  summary: "Get the challenge that your passkey signs to approve",
  description:
    "The challenge covers the call, the round, the digest, you, the steps that you leave out, and your answer. Pass it to `navigator.credentials.get` on a page of this server, then send the assertion as `passkey` of the decision. Decides nothing.",
  security: requireAnyScope("decide"),
  request: {
    params: z.object({ approval: approvalIdSchema }),
    body: { required: true, content: { "application/json": { schema: passkeyRequestSchema } } },
  },
  responses: {
    200: toJsonResponse(passkeyChallengeSchema, "The challenge, and your passkeys."),
    ...toProblemResponses(...decisionProblems, "passkey-invalid", "input-invalid"),
  },
});

export const approvalOperations = [
  listApprovals,
  getApproval,
  listApprovers,
  decideApproval,
  createPasskeyChallenge,
];

export function createApprovalRoutes({ service }: RouteDeps) {
  /**
   * [TRUST 9] An approval that the voter may not see gets the same response as one that does not exist. Voters who see
   * everything skip this lookup.
   */
  const requireVisible = async (voter: Principal, approval: string): Promise<void> => {
    if (!seesEverything(voter) && !(await service.findApproval(voter, approval))) throw unknownApproval();
  };
  return createRouter()
    .openapi(listApprovals, async (c) => {
      const principal = c.get("principal");
      if (principal.kind !== "person") throw forPeopleOnly();
      const { status, before, limit, principal: requester, capability } = c.req.valid("query");
      const of = toFloodKey({ status, before, principal: requester, capability });
      const page: Awaited<ReturnType<typeof service.listApprovals>> = of
        ? { approvals: await service.listFlood(principal, of, limit), bundles: [] }
        : await service.listApprovals(principal, {
            status,
            limit,
            ...(before !== undefined && { before }),
          });
      const voters = await listVoterStatuses(principal, page.approvals, service.approver);
      const view = (one: ApprovalSummary) =>
        toApprovalSummaryView(
          one,
          service.findCapability(principal.tenant, one.capability)?.contract,
          voters.get(one.approval),
        );
      const approvals = page.approvals.map(view);
      const bundles = page.bundles.map(({ items, ...flood }) => ({
        ...flood,
        items: items.map(view),
      }));
      return c.json(
        {
          approvals,
          ...(bundles.length > 0 && { bundles }),
          ...(page.next !== undefined && { next: page.next }),
        },
        200,
      );
    })
    .openapi(getApproval, async (c) => {
      const principal = c.get("principal");
      const { approval } = c.req.valid("param");
      const call = await service.findApproval(principal, approval);
      const view = call && (await toApprovalView(call, approval, principal, service));
      if (!view) throw unknownApproval();
      // A person who reads it in a browser has opened it, so notices about it count as opened.
      if (c.get("caller").how === "session") await service.notifications.markOpened(principal, view.call);
      return c.json(view, 200);
    })
    .openapi(listApprovers, async (c) => {
      const principal = c.get("principal");
      const { approval } = c.req.valid("param");
      const call = await requireApproval(principal, approval, service);
      if (principal.kind !== "person") throw forPeopleOnly();
      const round = call.approval;
      if (round?.id !== approval) return c.json({ approvers: [], hasMore: false }, 200);
      const { approvers, hasMore } = await service.approver.listApprovers(call, round);
      const views = approvers.map(({ id, groups, inPlaceOf }) => ({
        id,
        groups: [...groups],
        inPlaceOf: [...inPlaceOf],
      }));
      return c.json({ approvers: views, hasMore }, 200);
    })
    .openapi(decideApproval, async (c) => {
      const voter = c.get("principal");
      const { approval } = c.req.valid("param");
      await requireVisible(voter, approval);
      const { decision, passkey, reason, ...vote } = c.req.valid("json");
      const given = {
        ...toDecision(approval, voter, vote),
        decision,
        ...(reason !== undefined && { reason }),
      };
      const proof =
        passkey && decision === "approve" ? await service.passkeys.proveApproval(given, passkey) : undefined;
      const decided = await service.decide({ ...given, ...(proof && { proof }) });
      return c.json(await toCallView(decided.call, voter, service), 200);
    })
    .openapi(createPasskeyChallenge, async (c) => {
      const voter = c.get("principal");
      const { approval } = c.req.valid("param");
      await requireVisible(voter, approval);
      const decision = toDecision(approval, voter, c.req.valid("json"));
      const { challenge, rpId, credentials } = await service.passkeys.createChallenge(decision);
      return c.json({ challenge, rpId, credentials: [...credentials] }, 200);
    });
}

function forPeopleOnly(): HttpProblem {
  return new HttpProblem(
    "approver-not-allowed",
    "Only people can read and decide approvals. Use a person's key.",
  );
}

/** Returns the bundle whose items the query lists, if it names one. */
function toFloodKey({
  status,
  before,
  principal,
  capability,
}: {
  readonly status: string;
  readonly before: string | undefined;
  readonly principal: string | undefined;
  readonly capability: string | undefined;
}): FloodKey | undefined {
  if (principal === undefined && capability === undefined) return undefined;
  if (principal !== undefined && capability !== undefined && status === "open" && before === undefined)
    return { principal, capability };
  throw new HttpProblem(
    "parameter-invalid",
    "`principal` and `capability` list the items of one bundle. Give both, without `before` and another `status`.",
  );
}

/** Returns the approval that a vote would record. */
function toDecision(
  approval: string,
  voter: Principal,
  { digest, declined, answer }: z.output<typeof passkeyRequestSchema>,
): Decision {
  return {
    ...{ approval, voter, digest, decision: "approve" },
    ...(declined && { declined }),
    ...(answer !== undefined && { answer: answer as Json }),
  };
}
