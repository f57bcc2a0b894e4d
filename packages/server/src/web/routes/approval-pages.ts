import {
  type Approval,
  answerGuard,
  type Call,
  type Decision,
  type Json,
  lastEvent,
  lastPreview,
  type Principal,
  verifyReceipt,
} from "@paraph/core";
import { explainReceiptFault } from "@paraph/core/verify-receipt";
import type { Context, Hono } from "hono";
import type { Env, RouteDeps } from "../../http/context.ts";
import { createCsrfToken, isValidCsrfToken } from "../../http/middleware/csrf-token.ts";
import { HttpProblem, toProblem, unknownApproval, unknownCall } from "../../http/problem.ts";
import { recordReveal } from "../../http/routes/reveals.ts";
import { listNotUndone } from "../../http/views/not-undone.ts";
import { findVoter } from "../../http/views/voter-status.ts";
import { assertionSchema } from "../../passkeys/ceremonies.ts";
import { resolveFieldVisibility } from "../../visibility/field-visibility.ts";
import { findContract } from "../../visibility/find-contract.ts";
import { buildApprovalPage, buildCallPage, toAnswerRequest } from "../page-data/approval-page.ts";
import type { ApprovalPage } from "../page-data/approval-types.ts";
import { buildInboxPage, parseInboxCursor } from "../page-data/inbox-page.ts";
import { loadSeenCall } from "../page-data/load-seen-call.ts";
import { createReasonFinder } from "../page-data/reasons.ts";
import { addEditPages } from "./edit-pages.ts";
import { loadRound, loadVerifiedForm, toReplacedNotice } from "./load-round.ts";
import {
  createPageRouter,
  type PageForm,
  parseFormJson,
  readForm,
  readFormText,
  readPageSession,
  sendPage,
  smallBodyLimit,
  staleFormProblem,
} from "./page-router.ts";

const pageSize = 50;

/**
 * [TRUST 2] Creates the routes of the approvers' pages. A GET request changes nothing; only a POST by a logged-in
 * person counts.
 */
export function createApprovalPageRoutes({ service, pages }: RouteDeps): Hono<Env> {
  const { approver, actions } = service;
  const app = createPageRouter({ service, pages });

  /**
   * Returns the approval page and the editor of the call that replaced this one. An edit or a new contract can replace
   * a call.
   */
  const successorOf = async (reader: Principal, { events, outcome }: Call) => {
    if (outcome?.kind !== "superseded") return undefined;
    const { successor, editedBy } = lastEvent(events, "closed")?.data ?? {};
    const next = successor === undefined ? undefined : await service.findCall(reader, successor);
    return {
      ...(next?.approval && { href: `/approvals/${next.approval.id}` }),
      ...(editedBy !== undefined && { by: editedBy }),
    };
  };

  /** Returns the words of the person whose edit created this call, as the reader may see them. */
  const editReasonOf = async (reader: Principal, { supersedes, editedBy }: Call) => {
    const old =
      supersedes === undefined || editedBy === undefined
        ? undefined
        : await service.findCall(reader, supersedes);
    const closed = old && lastEvent(old.events, "closed");
    if (!closed) return undefined;
    const [stored, { mask }] = await Promise.all([
      actions.listReasons(old),
      loadSeenCall(reader, old, service),
    ]);
    return createReasonFinder(old, stored, mask)(closed.data);
  };

  const pageOf = async (c: Context<Env>, call: Call, how: { opened: boolean; revealed: boolean }) => {
    const reader = c.get("principal");
    const newest = call.approval;
    const [voter, history, thread, earlier, successor, sight, steps, notUndone] = await Promise.all([
      newest && findVoter(reader, call, newest, approver),
      approver.readHistory(call),
      actions.listMessages(call, { limit: 100 }),
      newest && newest.round > 1 ? actions.findEarlierPreview(call) : undefined,
      successorOf(reader, call),
      resolveFieldVisibility(reader, call, service),
      service.listSteps(call),
      listNotUndone(call, reader, service),
    ]);
    if (!newest || !voter) throw unknownApproval();
    const [reasons, editReason] = await Promise.all([actions.listReasons(call), editReasonOf(reader, call)]);
    return buildApprovalPage(call, newest, {
      reader,
      voterStatus: voter.status,
      needsPasskey: voter.needsPasskey,
      history,
      messages: thread,
      visibility: sight,
      steps,
      notUndone,
      reasons,
      ...how,
      now: Date.now(),
      ...(earlier && { earlier }),
      ...(successor && { successor }),
      ...(editReason !== undefined && { editReason }),
      contract: findContract(call, service),
      createCsrfToken: (seen) => createCsrfToken(readPageSession(c), seen, newest.id, newest.digest),
    });
  };

  const inboxOf = async (reader: Principal, after?: ReturnType<typeof parseInboxCursor>) => {
    const [found, delegations, isOnlyPerson] = await Promise.all([
      approver.listInbox(reader, { limit: pageSize, ...(after && { after }) }),
      approver.listDelegationsTo(reader),
      approver.isOnlyPerson(reader),
    ]);
    return buildInboxPage(found, reader, service, { now: Date.now(), delegations, isOnlyPerson });
  };

  app.get("/approvals", async (c) =>
    sendPage(c, pages.inbox(await inboxOf(c.get("principal"), parseInboxCursor(c.req.query("after"))))),
  );

  /** Leads to the request that expires soonest and waits for the reader, or to the inbox. */
  app.get("/approvals/next", async (c) => {
    const { items } = await inboxOf(c.get("principal"));
    const next = items.find((item) => item.notYours === undefined && item.approval !== c.req.query("after"));
    return c.redirect(next ? `/approvals/${next.approval}` : "/approvals", 303);
  });

  app.get("/calls/:call", async (c) => {
    const reader = c.get("principal");
    const call = await service.findCall(reader, c.req.param("call"));
    if (!call) throw unknownCall();
    if (call.approval) return c.redirect(`/approvals/${call.approval.id}`, 303);
    const [sight, steps] = await Promise.all([
      resolveFieldVisibility(reader, call, service),
      service.listSteps(call),
    ]);
    return sendPage(
      c,
      pages.call(
        buildCallPage(call, {
          reader,
          visibility: sight,
          steps,
          now: Date.now(),
          contract: findContract(call, service),
        }),
      ),
    );
  });

  app.get("/calls/:call/receipt", async (c) => {
    const reader = c.get("principal");
    const call = await service.findCall(reader, c.req.param("call"));
    if (!call) throw unknownCall();
    const bundle = await service.findReceipt(reader, call.call);
    if (!bundle)
      throw new HttpProblem(
        "receipt-pending",
        "The call is still open. It gets a receipt when it is closed.",
      );
    const { headline } = await loadSeenCall(reader, call, service);
    const found = await verifyReceipt(bundle, service.listPublicKeys()).then(
      (receipt) => ({ receipt }),
      (error: unknown) => ({ fault: explainReceiptFault(error) }),
    );
    return sendPage(c, pages.receipt({ reader: reader.id, call: call.call, headline, ...found }));
  });

  app.get("/approvals/:approval", async (c) => {
    const { call, isNewest } = await loadRound(c, service);
    if (!isNewest)
      return sendPage(c, pages.notice(toReplacedNotice(call, c.req.param("approval"), c.get("principal"))));
    const page = await pageOf(c, call, { opened: c.req.query("opened") === "1", revealed: false });
    await service.notifications.markOpened(c.get("principal"), call.call);
    return sendPage(c, pages.approval(page), 200, {
      script: page.needsPasskey === true,
      ...(isPerforming(page) && { refreshSeconds: 3 }),
    });
  });

  /** Reads the posted decision form. Throws unless the form was on a page that shows enough for this decision. */
  const readDecision = async (c: Context<Env>, approval: string) => {
    const { call, round } = await loadRound(c, service);
    const form = await readForm(c);
    const { decision, digest, proof, reason } = parseDecision(form);
    const answer = decision === "approve" ? parseAnswer(form, call, round) : undefined;
    const declined = decision === "approve" ? listUntickedSteps(form, call) : [];
    const about = [approval, digest] as const;
    const opened = isValidCsrfToken(proof, readPageSession(c), "opened", ...about);
    const shown = opened || isValidCsrfToken(proof, readPageSession(c), "shown", ...about);
    if (!(decision === "approve" ? opened : shown)) throw staleFormProblem();
    const decided: Decision = {
      approval,
      voter: c.get("principal"),
      decision,
      digest,
      ...(reason !== "" && { reason }),
      ...(answer !== undefined && { answer }),
      ...(declined.length > 0 && { declined }),
    };
    return { form, round, decided };
  };

  app.post("/approvals/:approval/decision", smallBodyLimit, async (c) => {
    const { form, round, decided } = await readDecision(c, c.req.param("approval"));
    const assertion = parseFormJson(form.assertion, assertionSchema);
    const proof =
      assertion && decided.decision === "approve"
        ? await service.passkeys.proveApproval(decided, assertion)
        : undefined;
    await service.decide({ ...decided, ...(proof && { proof }) });
    return c.redirect(`/approvals/${round.id}`, 303);
  });

  /** [TRUST 27] Returns what the reader's passkey must sign for the posted form. Decides nothing. */
  app.post("/approvals/:approval/passkey", smallBodyLimit, async (c) => {
    try {
      const { decided } = await readDecision(c, c.req.param("approval"));
      return c.json(await service.passkeys.createChallenge(decided), 200);
    } catch (error) {
      const { message, status } = toProblem(error);
      return c.json({ message }, status);
    }
  });

  /** [TRUST 16] Records the reveal first, then shows the fields only in the response to this request. */
  app.post("/approvals/:approval/reveal", smallBodyLimit, async (c) => {
    const reader = c.get("principal");
    const { call, round, isNewest } = await loadRound(c, service);
    const { digest = "", proof = "" } = await readForm(c);
    const isProven = isValidCsrfToken(proof, readPageSession(c), "shown", round.id, round.digest);
    if (!isNewest || digest !== round.digest || !isProven) throw staleFormProblem();
    await recordReveal(reader, call, { approval: round.id, digest }, service);
    const shown = await pageOf(c, call, { opened: true, revealed: true });
    return sendPage(c, pages.approval(shown), 200, { script: shown.needsPasskey === true });
  });

  app.post("/approvals/:approval/messages", smallBodyLimit, async (c) => {
    const by = c.get("principal");
    const { call, newest, form } = await loadVerifiedForm(c, service);
    const { kind } = form;
    if (kind !== "comment" && kind !== "question")
      throw new HttpProblem("body-invalid", "The form has no valid kind. Send a comment or a question.");
    const text = readFormText(form.text);
    if (text === "") throw new HttpProblem("body-invalid", "The message is empty. Enter a text.");
    await actions.postMessage(call, { by, kind, text });
    return c.redirect(`/approvals/${newest.id}`, 303);
  });

  app.post("/approvals/:approval/acknowledge", smallBodyLimit, async (c) => {
    const { newest, digest } = await loadVerifiedForm(c, service);
    await actions.acknowledge({ approval: newest.id, by: c.get("principal"), digest });
    return c.redirect(`/approvals/${newest.id}`, 303);
  });

  app.post("/approvals/:approval/reassign", smallBodyLimit, async (c) => {
    const { newest, form, digest } = await loadVerifiedForm(c, service);
    const to = readFormText(form.to);
    if (to === "") throw new HttpProblem("body-invalid", "The new approver is missing. Enter a person.");
    await actions.reassign({ approval: newest.id, by: c.get("principal"), digest, to });
    return c.redirect(`/approvals/${newest.id}`, 303);
  });

  addEditPages(app, { service, pages });

  app.get("/pages.css", (c) =>
    c.body(pages.stylesheet, 200, {
      "content-type": "text/css; charset=utf-8",
      "cache-control": "public, max-age=31536000, immutable",
    }),
  );
  return app;
}

/** Returns whether Paraph performs the approved call now, so that the page soon has news. */
function isPerforming({ status, state, contract }: ApprovalPage): boolean {
  return status === "approved" && state !== "closed" && contract?.performer === undefined;
}

/** [P13] Returns the steps without a tick, which the approval leaves out. */
function listUntickedSteps(form: PageForm, call: Call): readonly string[] {
  const steps = lastPreview(call)?.steps ?? [];
  return steps.map(({ id }) => id).filter((id) => form[`step:${id}`] === undefined);
}

function parseDecision({ decision, digest = "", proof = "", reason = "" }: PageForm) {
  if (decision !== "approve" && decision !== "deny" && decision !== "return")
    throw new HttpProblem(
      "body-invalid",
      "The form has no valid decision. Approve, deny or return the request.",
    );
  return { decision, digest, proof, reason: readFormText(reason) } as const;
}

/** Returns the answer that the capability requested with the approval. */
function parseAnswer({ answer = "" }: PageForm, { payloads }: Call, { guards }: Approval): Json | undefined {
  if (!guards.some(({ id }) => id === answerGuard.id)) return undefined;
  const request = toAnswerRequest(payloads.input?.value);
  switch (request.kind) {
    case "confirm":
      return answer === "" ? null : answer === "true";
    case "choice":
      return answer === "" ? null : (request.options[Number(answer)] ?? null);
    case "text":
      return answer.replaceAll("\r\n", "\n");
    case "json":
      return parseJson(answer);
  }
}

function parseJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new HttpProblem("body-invalid", "The answer is not valid JSON.");
  }
}
