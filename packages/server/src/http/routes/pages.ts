import {
  type Approval,
  answerGuard,
  type Call,
  type Json,
  type JsonObject,
  type Principal,
  previewOf,
} from "@paraph/core";
import type { Context, Hono } from "hono";
import { approvalPage, callPage, wantedOf } from "../approval-page.ts";
import type { Env, Parts } from "../context.ts";
import { FormFault, fieldsOf, inputIn } from "../edit-form.ts";
import { formProof, isFormProof } from "../form-proof.ts";
import { inboxPage, placeOf } from "../inbox-page.ts";
import { faultIn } from "../json-body.ts";
import { shownTo } from "../mask.ts";
import {
  type Form,
  formIn,
  large,
  pageRouter,
  sessionOf,
  show,
  small,
  unproven,
  wordsIn,
} from "../page-router.ts";
import { Problem, problemOf, unknownApproval, unknownCall } from "../problem.ts";
import { sightOf } from "../sight.ts";
import { contractOf } from "../views.ts";
import { editOf } from "./handling.ts";

const pageSize = 50;
/** [TRUST 2] The pages for people. A GET shows and does nothing; a POST by a logged-in person counts. */
export function pageRoutes({ service, pages }: Parts): Hono<Env> {
  const { approver, handling } = service;
  const app = pageRouter({ service, pages });

  const round = async (c: Context<Env>) => {
    const reader = c.get("principal");
    const approval = c.req.param("approval") ?? "";
    const isHandle = /^[A-Za-z0-9_-]{1,128}$/.test(approval);
    const call = isHandle ? await service.findApproval(reader, approval) : undefined;
    if (!call?.approval) throw unknownApproval();
    return { call, round: call.approval, isNewest: call.approval.id === approval };
  };

  /** The call that took this one's place, by an edit or a new contract. */
  const successorOf = async (reader: Principal, { events, outcome }: Call) => {
    if (outcome?.kind !== "superseded") return undefined;
    const { successor, editedBy } = events.findLast(({ kind }) => kind === "closed")?.data ?? {};
    const next = typeof successor === "string" ? await service.find(reader, successor) : undefined;
    return {
      ...(next?.approval && { href: `/approvals/${next.approval.id}` }),
      ...(typeof editedBy === "string" && { by: editedBy }),
    };
  };

  const pageOf = async (c: Context<Env>, call: Call, how: { opened: boolean; revealed: boolean }) => {
    const reader = c.get("principal");
    const newest = call.approval;
    const [standing, absent, history, thread, earlier, successor, sight, steps] = await Promise.all([
      approver.standing(reader, call),
      approver.absent(reader),
      approver.past(call),
      handling.messages(call, { limit: 100 }),
      newest && newest.round > 1 ? handling.earlierPreview(call) : undefined,
      successorOf(reader, call),
      sightOf(reader, call, service),
      service.steps(call),
    ]);
    if (!newest || standing === "not-a-person") throw unknownApproval();
    return approvalPage(call, newest, {
      ...{ reader, standing, absent, history, thread, sight, steps, ...how, now: Date.now() },
      ...(earlier && { earlier }),
      ...(successor && { successor }),
      contract: contractOf(call, service),
      prove: (seen) => formProof(sessionOf(c), seen, newest.id, newest.digest),
    });
  };

  app.get("/approvals", async (c) => {
    const reader = c.get("principal");
    const after = placeOf(c.req.query("after"));
    const [found, absent] = await Promise.all([
      approver.inbox(reader, { limit: pageSize, ...(after && { after }) }),
      approver.absent(reader),
    ]);
    const page = { now: Date.now(), absent };
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
    const { call, round: newest, isNewest } = await round(c);
    if (!isNewest) return show(c, pages.notice(replaced(newest.id, c.get("principal"))));
    const page = await pageOf(c, call, { opened: c.req.query("opened") === "1", revealed: false });
    return show(c, pages.approval(page));
  });

  app.post("/approvals/:approval/decision", small, async (c) => {
    const voter = c.get("principal");
    const { call, round: newest } = await round(c);
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
      ...{ approval, voter, decision, digest },
      ...(reason !== "" && { reason }),
      ...(answer !== undefined && { answer }),
      ...(declined.length > 0 && { declined }),
    });
    return c.redirect(`/approvals/${newest.id}`, 303);
  });

  /** [TRUST 16] Recorded first, then shown: in the answer to this very request, and nowhere else. */
  app.post("/approvals/:approval/reveal", small, async (c) => {
    const reader = c.get("principal");
    const { call, round: newest, isNewest } = await round(c);
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

  /** A form of the newest round's own page, of this session. */
  const proven = async (c: Context<Env>) => {
    const { call, round: newest, isNewest } = await round(c);
    const form = await formIn(c);
    const { digest = "", proof = "" } = form;
    const isProven = isFormProof(proof, sessionOf(c), "shown", newest.id, newest.digest);
    if (!isNewest || digest !== newest.digest || !isProven) throw unproven();
    return { call, newest, form, digest };
  };

  app.post("/approvals/:approval/messages", small, async (c) => {
    const by = c.get("principal");
    const { call, newest, form } = await proven(c);
    const { kind } = form;
    if (kind !== "comment" && kind !== "question") throw new Problem("body-invalid", "Comment or ask.");
    const text = wordsIn(form.text);
    if (text === "") throw new Problem("body-invalid", "Nothing was said: write something first.");
    await handling.say(call, { by, kind, text });
    return c.redirect(`/approvals/${newest.id}`, 303);
  });

  app.post("/approvals/:approval/handover", small, async (c) => {
    const { newest, form, digest } = await proven(c);
    const to = wordsIn(form.to);
    if (to === "") throw new Problem("body-invalid", "Say to whom.");
    await handling.handOver({ approval: newest.id, by: c.get("principal"), digest, to });
    return c.redirect(`/approvals/${newest.id}`, 303);
  });

  /** The input of the call, or of one step of a plan, as this reader may see it and edit it. */
  const editable = async (reader: Principal, call: Call, step: string | undefined) => {
    const contract = contractOf(call, service);
    const sight = await sightOf(reader, call, service);
    const { input } = shownTo(reader, call, contract, sight).payloads;
    if (step === undefined) return { contract, input, capability: call.capability, wrap: undefined };
    const found = stepIn(input, step);
    if (!found) throw new Problem("input-invalid", "There is no such step in what is being asked about.");
    return { wrap: undefined, contract: sight.contractOf(found.capability), ...found };
  };

  const editing = async (c: Context<Env>, call: Call, newest: Approval, how: Editing) => {
    const reader = c.get("principal");
    const { step, raw, fault } = how;
    const { contract, input, capability } = await editable(reader, call, step);
    return pages.edit({
      ...{ reader: reader.id, approval: newest.id, digest: newest.digest, raw, capability },
      proof: formProof(sessionOf(c), "shown", newest.id, newest.digest),
      title: contract?.summary ?? capability,
      fields: fieldsOf(contract?.input ?? {}, input, raw || contract === undefined),
      ...(fault !== undefined && { fault }),
      ...(step !== undefined && { step }),
    });
  };

  app.get("/approvals/:approval/edit", async (c) => {
    const { call, round: newest, isNewest } = await round(c);
    if (!isNewest) return show(c, pages.notice(replaced(newest.id, c.get("principal"))));
    const step = c.req.query("step");
    const how = { raw: c.req.query("raw") === "1", ...(step !== undefined && { step }) };
    return show(c, await editing(c, call, newest, how));
  });

  /** [P6] What was typed is told to be wrong on the same page; what was refused leaves the question as it was. */
  app.post("/approvals/:approval/edit", large, async (c) => {
    const editor = c.get("principal");
    const { call, newest, form, digest } = await proven(c);
    const { step } = form;
    const { contract, input: seen, wrap } = await editable(editor, call, step);
    const raw = form.raw === "1" || contract === undefined;
    const reason = wordsIn(form.reason);
    try {
      const given = inputIn(form, contract?.input ?? {}, seen, raw);
      const fault = faultIn(given);
      if (fault !== undefined) throw new FormFault(fault);
      const { call: next } = await handling.edit({
        ...{
          approval: newest.id,
          editor,
          digest,
          ...editOf({ step, input: wrap ? wrap(given) : given }, call),
        },
        ...(reason !== "" && { reason }),
      });
      return c.redirect(`/approvals/${next.approval?.id ?? newest.id}`, 303);
    } catch (error) {
      const { code, message, status } = error instanceof FormFault ? wrongField(error) : problemOf(error);
      if (code !== "input-invalid" && code !== "edit-refused") throw error;
      const how = { raw, fault: message, ...(step !== undefined && { step }) };
      return show(c, await editing(c, call, newest, how), status);
    }
  });

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
  const steps = previewOf(call)?.steps ?? [];
  return steps.map(({ id }) => id).filter((id) => form[`step:${id}`] === undefined);
}

function wrongField({ message }: FormFault): Problem {
  return new Problem("input-invalid", message);
}

function decisionIn({ decision, digest = "", proof = "", reason = "" }: Form) {
  if (decision !== "approve" && decision !== "deny" && decision !== "return")
    throw new Problem("body-invalid", "Approve, deny or return it.");
  return { decision, digest, proof, reason: wordsIn(reason) } as const;
}

interface Editing {
  readonly raw: boolean;
  readonly step?: string;
  readonly fault?: string;
}

/** A step of a plan's input. Written as a literal it is edited as what it stands for, and written so again. */
function stepIn(plan: Json | undefined, step: string) {
  const { steps } = (typeof plan === "object" && plan !== null ? plan : {}) as { readonly steps?: unknown };
  const found = (Array.isArray(steps) ? (steps as readonly JsonObject[]) : []).find(({ id }) => id === step);
  if (!found) return undefined;
  const { capability, input = null } = found;
  const literal = isObject(input) && Object.keys(input).join() === "$literal" ? input.$literal : undefined;
  if (literal === undefined) return { capability: String(capability), input };
  return { capability: String(capability), input: literal, wrap: (inner: Json) => ({ $literal: inner }) };
}

function isObject(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
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

function replaced(newest: string, { id }: Principal) {
  return {
    reader: id,
    title: "This question was replaced",
    text: "What it rested on has moved since, so it was asked anew. Answers to this one count for nothing.",
    link: { href: `/approvals/${newest}`, text: "Look at what is asked now" },
  };
}
