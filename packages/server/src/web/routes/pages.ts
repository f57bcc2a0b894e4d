import {
  type Approval,
  answerGuard,
  type Call,
  type Json,
  lastEvent,
  lastPreview,
  type Principal,
} from "@paraph/core";
import type { Context, Hono } from "hono";
import type { Env, Parts } from "../../http/context.ts";
import { formProof, isFormProof } from "../../http/middleware/csrf-token.ts";
import { Problem, unknownApproval, unknownCall } from "../../http/problem.ts";
import { contractOf } from "../../http/views/call-view.ts";
import { sightOf } from "../../http/views/field-visibility.ts";
import { notUndoneBy } from "../../http/views/not-undone.ts";
import { approvalPage, callPage, wantedOf } from "../approval-page.ts";
import { inboxPage, placeOf } from "../inbox-page.ts";
import { provenIn, replaced, roundIn } from "../page-round.ts";
import { type Form, formIn, pageRouter, sessionOf, show, small, unproven, wordsIn } from "../page-router.ts";
import { addEditPages } from "./edit-pages.ts";

const pageSize = 50;

/** [TRUST 2] The pages for people. A GET shows and does nothing; a POST by a logged-in person counts. */
export function pageRoutes({ service, pages }: Parts): Hono<Env> {
  const { approver, handling } = service;
  const app = pageRouter({ service, pages });

  /** The call that took this one's place, by an edit or a new contract. */
  const successorOf = async (reader: Principal, { events, outcome }: Call) => {
    if (outcome?.kind !== "superseded") return undefined;
    const { successor, editedBy } = lastEvent(events, "closed")?.data ?? {};
    const next = successor === undefined ? undefined : await service.find(reader, successor);
    return {
      ...(next?.approval && { href: `/approvals/${next.approval.id}` }),
      ...(editedBy !== undefined && { by: editedBy }),
    };
  };

  const pageOf = async (c: Context<Env>, call: Call, how: { opened: boolean; revealed: boolean }) => {
    const reader = c.get("principal");
    const newest = call.approval;
    const [standing, absent, isOnlyPerson, history, thread, earlier, successor, sight, steps, notUndone] =
      await Promise.all([
        approver.standing(reader, call),
        approver.absent(reader),
        approver.isOnlyPerson(reader),
        approver.past(call),
        handling.messages(call, { limit: 100 }),
        newest && newest.round > 1 ? handling.earlierPreview(call) : undefined,
        successorOf(reader, call),
        sightOf(reader, call, service),
        service.steps(call),
        notUndoneBy(call, reader, service),
      ]);
    if (!newest || standing === "not-a-person") throw unknownApproval();
    return approvalPage(call, newest, {
      reader,
      standing,
      absent,
      isOnlyPerson,
      history,
      thread,
      sight,
      steps,
      notUndone,
      ...how,
      now: Date.now(),
      ...(earlier && { earlier }),
      ...(successor && { successor }),
      contract: contractOf(call, service),
      prove: (seen) => formProof(sessionOf(c), seen, newest.id, newest.digest),
    });
  };

  app.get("/approvals", async (c) => {
    const reader = c.get("principal");
    const after = placeOf(c.req.query("after"));
    const [found, absent, isOnlyPerson] = await Promise.all([
      approver.inbox(reader, { limit: pageSize, ...(after && { after }) }),
      approver.absent(reader),
      approver.isOnlyPerson(reader),
    ]);
    const page = { now: Date.now(), absent, isOnlyPerson };
    return show(c, pages.inbox(inboxPage(found, reader, service, page)));
  });

  app.get("/calls/:call", async (c) => {
    const reader = c.get("principal");
    const call = await service.find(reader, c.req.param("call"));
    if (!call) throw unknownCall();
    if (call.approval) return c.redirect(`/approvals/${call.approval.id}`, 303);
    const [sight, steps] = await Promise.all([sightOf(reader, call, service), service.steps(call)]);
    return show(c, pages.call(callPage(call, { reader, sight, steps, contract: contractOf(call, service) })));
  });

  app.get("/approvals/:approval", async (c) => {
    const { call, round: newest, isNewest } = await roundIn(c, service);
    if (!isNewest) return show(c, pages.notice(replaced(newest.id, c.get("principal"))));
    const page = await pageOf(c, call, { opened: c.req.query("opened") === "1", revealed: false });
    return show(c, pages.approval(page));
  });

  app.post("/approvals/:approval/decision", small, async (c) => {
    const voter = c.get("principal");
    const { call, round: newest } = await roundIn(c, service);
    const approval = c.req.param("approval");
    const form = await formIn(c);
    const { decision, digest, proof, reason } = decisionIn(form);
    const answer = decision === "approve" ? answerIn(form, call, newest) : undefined;
    const declined = decision === "approve" ? unticked(form, call) : [];
    const about = [approval, digest] as const;
    const opened = isFormProof(proof, sessionOf(c), "opened", ...about);
    const shown = opened || isFormProof(proof, sessionOf(c), "shown", ...about);
    if (!(decision === "approve" ? opened : shown)) throw unproven();
    await service.decide({
      approval,
      voter,
      decision,
      digest,
      ...(reason !== "" && { reason }),
      ...(answer !== undefined && { answer }),
      ...(declined.length > 0 && { declined }),
    });
    return c.redirect(`/approvals/${newest.id}`, 303);
  });

  /** [TRUST 16] Recorded first, then shown: in the answer to this very request, and nowhere else. */
  app.post("/approvals/:approval/reveal", small, async (c) => {
    const reader = c.get("principal");
    const { call, round: newest, isNewest } = await roundIn(c, service);
    const { digest = "", proof = "" } = await formIn(c);
    const isProven = isFormProof(proof, sessionOf(c), "shown", newest.id, newest.digest);
    if (!isNewest || digest !== newest.digest || !isProven) throw unproven();
    const { forms, masked } = await pageOf(c, call, { opened: true, revealed: false });
    if (forms.reveal === undefined) {
      throw new Problem("approver-not-allowed", "It is revealed to those who are asked, and to nobody else.");
    }
    await approver.reveal(reader, call, masked);
    return show(c, pages.approval(await pageOf(c, call, { opened: true, revealed: true })));
  });

  app.post("/approvals/:approval/messages", small, async (c) => {
    const by = c.get("principal");
    const { call, newest, form } = await provenIn(c, service);
    const { kind } = form;
    if (kind !== "comment" && kind !== "question") throw new Problem("body-invalid", "Comment or ask.");
    const text = wordsIn(form.text);
    if (text === "") throw new Problem("body-invalid", "Nothing was said: write something first.");
    await handling.say(call, { by, kind, text });
    return c.redirect(`/approvals/${newest.id}`, 303);
  });

  app.post("/approvals/:approval/handover", small, async (c) => {
    const { newest, form, digest } = await provenIn(c, service);
    const to = wordsIn(form.to);
    if (to === "") throw new Problem("body-invalid", "Say to whom.");
    await handling.handOver({ approval: newest.id, by: c.get("principal"), digest, to });
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

/** [P13] What was not ticked on the page of a plan is left out of the yes. */
function unticked(form: Form, call: Call): readonly string[] {
  const steps = lastPreview(call)?.steps ?? [];
  return steps.map(({ id }) => id).filter((id) => form[`step:${id}`] === undefined);
}

function decisionIn({ decision, digest = "", proof = "", reason = "" }: Form) {
  if (decision !== "approve" && decision !== "deny" && decision !== "return")
    throw new Problem("body-invalid", "Approve, deny or return it.");
  return { decision, digest, proof, reason: wordsIn(reason) } as const;
}

/** What was answered beside the yes, where something was asked for. */
function answerIn({ answer = "" }: Form, { payloads }: Call, { guards }: Approval): Json | undefined {
  if (!guards.some(({ id }) => id === answerGuard.id)) return undefined;
  const wanted = wantedOf(payloads.input?.value);
  switch (wanted.kind) {
    case "confirm":
      return answer === "" ? null : answer === "true";
    case "choice":
      return answer === "" ? null : (wanted.options[Number(answer)] ?? null);
    case "text":
      return answer.replaceAll("\r\n", "\n");
    case "json":
      return jsonIn(answer);
  }
}

function jsonIn(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new Problem("body-invalid", "The answer is not valid JSON.");
  }
}
