import type { Approval, Call, Json, JsonObject, Principal } from "@paraph/core";
import type { Context, Hono } from "hono";
import type { Env, Parts } from "../../http/context.ts";
import { refuseOutOfReach } from "../../http/middleware/authorization.ts";
import { formProof } from "../../http/middleware/csrf-token.ts";
import { faultIn } from "../../http/middleware/json-body.ts";
import { Problem, problemOf } from "../../http/problem.ts";
import { editOf } from "../../http/routes/call-actions.ts";
import { contractOf } from "../../http/views/call-view.ts";
import { sightOf } from "../../http/views/field-visibility.ts";
import { shownTo } from "../../http/views/mask.ts";
import { FormFault, fieldsOf, inputIn } from "../edit-form.ts";
import { provenIn, replaced, roundIn } from "../page-round.ts";
import { large, sessionOf, show, wordsIn } from "../page-router.ts";

/** What is asked, as a form: of a call, or of one step of a plan. */
export function addEditPages(app: Hono<Env>, { service, pages }: Pick<Parts, "service" | "pages">): void {
  const { handling } = service;

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
      reader: reader.id,
      approval: newest.id,
      digest: newest.digest,
      raw,
      capability,
      proof: formProof(sessionOf(c), "shown", newest.id, newest.digest),
      title: contract?.summary ?? capability,
      fields: fieldsOf(contract?.input ?? {}, input, raw || contract === undefined),
      ...(fault !== undefined && { fault }),
      ...(step !== undefined && { step }),
    });
  };

  app.get("/approvals/:approval/edit", async (c) => {
    const { call, round: newest, isNewest } = await roundIn(c, service);
    if (!isNewest) return show(c, pages.notice(replaced(newest.id, c.get("principal"))));
    const step = c.req.query("step");
    const how = { raw: c.req.query("raw") === "1", ...(step !== undefined && { step }) };
    return show(c, await editing(c, call, newest, how));
  });

  /** [P6] What was typed is told to be wrong on the same page; what was refused leaves the question as it was. */
  app.post("/approvals/:approval/edit", large, async (c) => {
    const editor = c.get("principal");
    const { call, newest, form, digest } = await provenIn(c, service);
    const { step } = form;
    const { contract, input: seen, wrap } = await editable(editor, call, step);
    const raw = form.raw === "1" || contract === undefined;
    const reason = wordsIn(form.reason);
    try {
      const given = inputIn(form, contract?.input ?? {}, seen, raw);
      const fault = faultIn(given);
      if (fault !== undefined) throw new FormFault(fault);
      const input = editOf({ step, input: wrap ? wrap(given) : given }, call);
      refuseOutOfReach(c, call.capability, input);
      const { call: next } = await handling.edit({
        approval: newest.id,
        editor,
        digest,
        input,
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

function wrongField({ message }: FormFault): Problem {
  return new Problem("input-invalid", message);
}
