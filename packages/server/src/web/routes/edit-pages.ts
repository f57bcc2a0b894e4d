import {
  type Approval,
  type Call,
  isJsonObject,
  type Json,
  type JsonObject,
  type Principal,
} from "@paraph/core";
import type { Context, Hono } from "hono";
import type { Env, RouteDeps } from "../../http/context.ts";
import { requireCapabilityScope } from "../../http/middleware/authorization.ts";
import { createCsrfToken } from "../../http/middleware/csrf-token.ts";
import { findJsonFault } from "../../http/middleware/json-body.ts";
import { HttpProblem, toProblem } from "../../http/problem.ts";
import { toEditedInput } from "../../http/routes/edits.ts";
import { resolveFieldVisibility } from "../../visibility/field-visibility.ts";
import { findContract } from "../../visibility/find-contract.ts";
import { maskPayloads } from "../../visibility/mask-payloads.ts";
import { FormError, fillFormFields, readInput, toFormFields } from "../page-data/edit-form.ts";
import type { EditApprovers } from "../page-data/edit-types.ts";
import { loadSeenCall } from "../page-data/load-seen-call.ts";
import { loadRound, loadVerifiedForm, toReplacedNotice } from "./load-round.ts";
import { largeBodyLimit, type PageForm, readFormText, readPageSession, sendPage } from "./page-router.ts";

/** Adds the routes of the form that edits a call, or one step of a plan. */
export function addEditPages(app: Hono<Env>, { service, pages }: Pick<RouteDeps, "service" | "pages">): void {
  const { actions } = service;

  /** Returns the input of the call, or of one step, as this reader may see and edit it. */
  const editable = async (reader: Principal, call: Call, step: string | undefined) => {
    const contract = findContract(call, service);
    const visibility = await resolveFieldVisibility(reader, call, service);
    const { input } = maskPayloads(reader, call, contract, visibility).payloads;
    if (step === undefined) return { contract, input, capability: call.capability, wrap: undefined };
    const found = findStep(input, step);
    if (!found)
      throw new HttpProblem(
        "input-invalid",
        "The plan has no such step. Open the approval again and choose one of its steps.",
      );
    return { wrap: undefined, contract: visibility.findContract(found.capability), ...found };
  };

  /** [TRUST 28] Returns who can approve the call after this reader edited it. Its earlier votes do not count then. */
  const findEditApprovers = async (
    reader: Principal,
    call: Call,
    round: Approval,
  ): Promise<EditApprovers> => {
    const [isOnlyPerson, { approvers, hasMore }] = await Promise.all([
      service.approver.isOnlyPerson(reader),
      service.approver.listApprovers(call, round),
    ]);
    const people = new Set([...approvers.map(({ id }) => id), ...round.votes.map(({ by }) => by)]);
    people.delete(reader.id);
    return {
      isOnlyPerson,
      hasMore,
      quorum: Math.max(1, ...round.guards.map(({ quorum }) => quorum)),
      groups: [...new Set(round.guards.flatMap(({ group }) => group ?? []))],
      people: [...people],
    };
  };

  const editing = async (c: Context<Env>, call: Call, newest: Approval, how: EditOptions) => {
    const reader = c.get("principal");
    const { step, raw, fault, posted = {} } = how;
    const { contract, input, capability } = await editable(reader, call, step);
    const { headline, toPlan } = await loadSeenCall(reader, call, service);
    const stepHeadline =
      step === undefined ? headline : toPlan([])?.steps.find(({ id }) => id === step)?.headline;
    const fields = toFormFields(contract?.input ?? {}, input, raw || contract === undefined);
    const approvers = await findEditApprovers(reader, call, newest);
    return pages.edit({
      reader: reader.id,
      approval: newest.id,
      digest: newest.digest,
      raw,
      capability,
      proof: createCsrfToken(readPageSession(c), "shown", newest.id, newest.digest),
      title: contract?.summary ?? capability,
      headline: stepHeadline ?? headline,
      fields: fillFormFields(fields, posted),
      approvers,
      ...(posted.reason !== undefined && { reason: posted.reason }),
      ...(fault !== undefined && { fault }),
      ...(step !== undefined && { step }),
    });
  };

  app.get("/approvals/:approval/edit", async (c) => {
    const { call, round, isNewest } = await loadRound(c, service);
    if (!isNewest)
      return sendPage(c, pages.notice(toReplacedNotice(call, c.req.param("approval"), c.get("principal"))));
    const step = c.req.query("step");
    const how = { raw: c.req.query("raw") === "1", ...(step !== undefined && { step }) };
    return sendPage(c, await editing(c, call, round, how));
  });

  /** [P6] Shows invalid input on the same page. A refused edit leaves the approval unchanged. */
  app.post("/approvals/:approval/edit", largeBodyLimit, async (c) => {
    const editor = c.get("principal");
    const { call, newest, form, digest } = await loadVerifiedForm(c, service);
    const { step } = form;
    const { contract, input: seen, wrap } = await editable(editor, call, step);
    const raw = form.raw === "1" || contract === undefined;
    const reason = readFormText(form.reason);
    try {
      const given = readInput(form, contract?.input ?? {}, seen, raw);
      const fault = findJsonFault(given);
      if (fault !== undefined) throw new FormError(fault);
      const input = toEditedInput({ step, input: wrap ? wrap(given) : given }, call);
      requireCapabilityScope(c, call.capability, input);
      const { call: next } = await actions.edit({
        approval: newest.id,
        editor,
        digest,
        input,
        ...(reason !== "" && { reason }),
      });
      return c.redirect(`/approvals/${next.approval?.id ?? newest.id}`, 303);
    } catch (error) {
      const { code, message, status } = error instanceof FormError ? toFieldProblem(error) : toProblem(error);
      if (code !== "input-invalid" && code !== "edit-refused") throw error;
      const how = { raw, fault: message, posted: form, ...(step !== undefined && { step }) };
      return sendPage(c, await editing(c, call, newest, how), status);
    }
  });
}

interface EditOptions {
  readonly raw: boolean;
  readonly step?: string;
  readonly fault?: string;
  /** The form with the fault. */
  readonly posted?: PageForm;
}

/**
 * Returns a step of a plan's input. If the step's input is a literal, returns the unwrapped value for editing, and
 * `wrap`, which wraps the edited value again.
 */
function findStep(plan: Json | undefined, step: string) {
  const { steps } = (typeof plan === "object" && plan !== null ? plan : {}) as { readonly steps?: unknown };
  const found = (Array.isArray(steps) ? (steps as readonly JsonObject[]) : []).find(({ id }) => id === step);
  if (!found) return undefined;
  const { capability, input = null } = found;
  const literal =
    isJsonObject(input) && Object.keys(input).join() === "$literal" ? input.$literal : undefined;
  if (literal === undefined) return { capability: String(capability), input };
  return { capability: String(capability), input: literal, wrap: (inner: Json) => ({ $literal: inner }) };
}

function toFieldProblem({ message }: FormError): HttpProblem {
  return new HttpProblem("input-invalid", message);
}
