import { type Call, findRetryRefusal, lastPreview, type Principal } from "@paraph/core";
import type { Context, Hono } from "hono";
import type { Env, RouteDeps } from "../../http/context.ts";
import { createCsrfToken, isValidCsrfToken } from "../../http/middleware/csrf-token.ts";
import { HttpProblem, unknownCall } from "../../http/problem.ts";
import { decideOne, rejectMixedDecisions } from "../../http/routes/call-actions.ts";
import { listNotUndone } from "../../http/views/not-undone.ts";
import { findVoter } from "../../http/views/voter-status.ts";
import { maxBundleItems } from "../../services/paraph-service.ts";
import { resolveFieldVisibility } from "../../visibility/field-visibility.ts";
import { findContract } from "../../visibility/find-contract.ts";
import { buildApprovalPage } from "../page-data/approval-page.ts";
import type { BundleResult, UnknownItem } from "../page-data/list-types.ts";
import { loadSeenCall } from "../page-data/load-seen-call.ts";
import {
  createPageRouter,
  largeBodyLimit,
  readForm,
  readFormText,
  readPageSession,
  sendPage,
  smallBodyLimit,
  staleFormProblem,
} from "./page-router.ts";

const pageSize = 20;

/** Creates the routes of floods and of calls with unknown outcomes. */
export function createBulkPageRoutes({ service, pages }: RouteDeps): Hono<Env> {
  const { approver, actions } = service;
  const app = createPageRouter({ service, pages });
  /** A form about a call is valid only while the call has the same epoch as when Paraph rendered the page. */
  const proofOf = (c: Context<Env>, { call, epoch }: Call) =>
    [readPageSession(c), "shown", call, String(epoch)] as const;

  app.get("/approvals/unknown", async (c) => {
    const reader = c.get("principal");
    const before = c.req.query("before");
    const isHandle = before !== undefined && /^[A-Za-z0-9_-]{1,128}$/.test(before);
    const filter = { outcome: "unknown", resolved: false, limit: pageSize } as const;
    const { calls: found, next } = await service.listCalls(reader, {
      ...filter,
      ...(isHandle && { before }),
    });
    const calls = await Promise.all(found.map(({ call }) => service.findCall(reader, call)));
    const items = await Promise.all(
      calls
        .filter((call) => call !== undefined)
        .map((call) => itemOf(call, reader, createCsrfToken(...proofOf(c, call)))),
    );
    const page = { reader: reader.id, now: Date.now(), items, ...(next !== undefined && { next }) };
    return sendPage(c, pages.unknowns(page));
  });

  const itemOf = async (call: Call, reader: Principal, proof: string): Promise<UnknownItem> => {
    const { contract, headline, mask, toPlan } = await loadSeenCall(reader, call, service);
    const plan = lastPreview(call)?.steps && toPlan(await service.listSteps(call));
    const { input } = mask(call).payloads;
    const closedAt = call.events.findLast(({ kind }) => kind === "closed")?.at ?? call.createdAt;
    return {
      call: call.call,
      headline,
      capability: call.capability,
      asker: call.principal.id,
      closedAt,
      proof,
      ...(input !== undefined && { input }),
      ...(plan && { plan }),
      canProbe: contract?.idempotency === "probe",
      canRetry: findRetryRefusal(call) === undefined,
    };
  };

  const asked = async (c: Context<Env>) => {
    const call = await service.findCall(c.get("principal"), c.req.param("call") ?? "");
    if (!call) throw unknownCall();
    const form = await readForm(c);
    if (!isValidCsrfToken(form.proof ?? "", ...proofOf(c, call))) throw staleFormProblem();
    return { call, form };
  };

  app.post("/approvals/unknown/:call/probe", smallBodyLimit, async (c) => {
    const by = c.get("principal");
    const { call } = await asked(c);
    const { found } = await actions.probe({ call: call.call, by });
    const text = {
      happened: "The probe found that the call took effect. Paraph recorded this result.",
      "not-happened": "The probe found that the call did not take effect. Paraph recorded this result.",
      unsure:
        "The probe could not determine the outcome. Check the external system yourself, then record what you find.",
    }[found];
    const link = { href: "/approvals/unknown", text: "View unknown outcomes" };
    return sendPage(c, pages.notice({ reader: by.id, title: "Probe result", text, link }));
  });

  app.post("/approvals/unknown/:call/resolution", smallBodyLimit, async (c) => {
    const by = c.get("principal");
    const { call, form } = await asked(c);
    const { finding } = form;
    if (finding !== "happened" && finding !== "not-happened" && finding !== "retry")
      throw new HttpProblem(
        "body-invalid",
        "The form has no valid finding. Choose whether the call happened.",
      );
    const again = finding === "retry";
    const resolved = await actions.resolve({
      call: call.call,
      by,
      reason: readFormText(form.reason),
      finding: again ? "not-happened" : finding,
    });
    if (again) await actions.retry(resolved, by);
    return c.redirect("/approvals/unknown", 303);
  });

  app.get("/approvals/bundle", async (c) => {
    const reader = c.get("principal");
    const { principal = "", capability = "" } = c.req.query();
    const all = await service.listFlood(reader, { principal, capability }, maxBundleItems);
    const calls = await Promise.all(
      all.slice(0, pageSize).map(({ approval }) => service.findApproval(reader, approval)),
    );
    const items = await Promise.all(
      calls.map(async (call) => {
        const round = call?.approval;
        const voter = round && (await findVoter(reader, call, round, approver));
        if (!round || !voter) return undefined;
        return buildApprovalPage(call, round, {
          reader,
          voterStatus: voter.status,
          needsPasskey: voter.needsPasskey,
          history: { outcomes: {} },
          messages: [],
          reasons: [],
          now: Date.now(),
          opened: true,
          revealed: false,
          contract: findContract(call, service),
          visibility: await resolveFieldVisibility(reader, call, service),
          steps: [],
          notUndone: await listNotUndone(call, reader, service),
          createCsrfToken: (seen) => createCsrfToken(readPageSession(c), seen, round.id, round.digest),
        });
      }),
    );
    const shown = items.filter((item) => item !== undefined);
    const page = {
      reader: reader.id,
      principal,
      capability,
      count: all.length,
      items: shown,
      more: all.length === maxBundleItems,
    };
    return sendPage(c, pages.bundle(page));
  });

  /** Each decision counts by itself, so the failure of one does not affect the others. */
  app.post("/approvals/bundle", largeBodyLimit, async (c) => {
    const voter = c.get("principal");
    const form = await readForm(c);
    const reason = readFormText(form.reason);
    const answers = Object.entries(form).flatMap(([name, decision]) => {
      const approval = /^decision:([A-Za-z0-9_-]{1,128})$/.exec(name)?.[1];
      if (approval === undefined || (decision !== "approve" && decision !== "deny")) return [];
      const digest = form[`digest:${approval}`] ?? "";
      const proof = form[`proof:${approval}`] ?? "";
      const seen = decision === "approve" ? (["opened"] as const) : (["opened", "shown"] as const);
      const isProven = seen.some((one) => isValidCsrfToken(proof, readPageSession(c), one, approval, digest));
      if (!isProven) throw staleFormProblem();
      return [
        {
          approval,
          digest,
          decision: decision as "approve" | "deny",
          voter,
          ...(decision === "deny" && reason !== "" && { reason }),
        },
      ];
    });
    if (answers.length > 100)
      throw new HttpProblem(
        "body-invalid",
        "You can decide at most 100 approvals at once. Send fewer decisions.",
      );
    const calls = await Promise.all(answers.map(({ approval }) => service.findApproval(voter, approval)));
    rejectMixedDecisions(calls, service);
    // A headline is that of the reviewed call, so it is read before the decision changes the call.
    const headlines = await Promise.all(
      calls.map(async (call) => call && (await loadSeenCall(voter, call, service)).headline),
    );
    const results: BundleResult[] = [];
    for (const [index, answer] of answers.entries()) {
      const { approval, decision } = answer;
      const result = await decideOne(answer, calls[index], service);
      results.push({
        approval,
        decision,
        headline: headlines[index] ?? approval,
        ...("problem" in result ? { problem: result.problem.detail } : { state: result.state }),
      });
    }
    return sendPage(c, pages.bundleResult({ reader: voter.id, results }));
  });
  return app;
}
