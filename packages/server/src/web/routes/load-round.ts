import { type Call, eventsOfKind, explainVoidRound, findVoidCode, type Principal } from "@paraph/core";
import type { Context } from "hono";
import type { Env } from "../../http/context.ts";
import { isValidCsrfToken } from "../../http/middleware/csrf-token.ts";
import { unknownApproval } from "../../http/problem.ts";
import type { ParaphService } from "../../services/paraph-service.ts";
import type { NoticePage } from "../pages/notice-page.ts";
import { readForm, readPageSession, staleFormProblem } from "./page-router.ts";

type RoundDeps = Pick<ParaphService, "findApproval">;

/**
 * Returns the call of the approval in the address, and the call's newest round. That round may be newer than the
 * approval in the address.
 */
export async function loadRound(c: Context<Env>, service: RoundDeps) {
  const reader = c.get("principal");
  const approval = c.req.param("approval") ?? "";
  const isHandle = /^[A-Za-z0-9_-]{1,128}$/.test(approval);
  const call = isHandle ? await service.findApproval(reader, approval) : undefined;
  if (!call?.approval) throw unknownApproval();
  return { call, round: call.approval, isNewest: call.approval.id === approval };
}

/** Returns the posted form. Throws unless the form comes from the page of the newest round and from this session. */
export async function loadVerifiedForm(c: Context<Env>, service: RoundDeps) {
  const { call, round, isNewest } = await loadRound(c, service);
  const form = await readForm(c);
  const { digest = "", proof = "" } = form;
  const isProven = isValidCsrfToken(proof, readPageSession(c), "shown", round.id, round.digest);
  if (!isNewest || digest !== round.digest || !isProven) throw staleFormProblem();
  return { call, newest: round, form, digest };
}

/** Returns the notice that a newer round replaced the round of this approval. */
export function toReplacedNotice(call: Call, approval: string, { id }: Principal): NoticePage {
  const asked = eventsOfKind(call.events, "asked").find(({ data }) => data.approval === approval);
  const code = asked && findVoidCode(call.events, { round: asked.data.round, status: "void" });
  return {
    reader: id,
    title: "This approval was replaced",
    text: `${explainVoidRound(code)} Paraph asked for a new approval. Votes on this approval no longer count.`,
    link: { href: `/approvals/${call.approval!.id}`, text: "Review the new approval" },
  };
}
