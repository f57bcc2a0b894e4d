import type { Principal } from "@paraph/core";
import type { Context } from "hono";
import type { Env } from "../../http/context.ts";
import { isValidCsrfToken } from "../../http/middleware/csrf-token.ts";
import { unknownApproval } from "../../http/problem.ts";
import type { ParaphService } from "../../services/paraph-service.ts";
import type { NoticePage } from "../page-data/page-types.ts";
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

/** Returns the notice that a newer round replaced this one. */
export function toReplacedNotice(newest: string, { id }: Principal): NoticePage {
  return {
    reader: id,
    title: "This approval was replaced",
    text: "The underlying data changed, so Paraph asked for a new approval. Votes on this approval no longer count.",
    link: { href: `/approvals/${newest}`, text: "Review the new approval" },
  };
}
