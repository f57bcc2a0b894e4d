import {
  type Call,
  type CallRequest,
  digest,
  type Json,
  ParaphError,
  type Ports,
  type Principal,
  planCapability,
} from "@paraph/core";
import type { DraftStep, IntentQuestion, SealedIntent } from "@paraph/core/intents";
import type { MailRequest } from "../../../postgres/index.ts";
import type { RequestAssessment } from "./assess-request.ts";
import { toAnswerId } from "./mail-ids.ts";
import { joinWrapped, type WordsFault } from "./read-words.ts";
import type { RequestAct } from "./request-act.ts";
import { type UnderstandDeps, understandRequest } from "./understand-request.ts";
import { readUndo } from "./undo-offer.ts";

/** Why a reply about a request has no effect. */
export type RequestAnswerCode =
  | WordsFault
  | "request-expired"
  | "request-used"
  | "request-outdated"
  | "request-failed"
  | "undo-wanted"
  | "undo-expired"
  | "not-undoable"
  | "already-undone"
  | "undo-failed"
  | "confirm-not-alone"
  | "confirm-not-signed"
  | "not-confirmable"
  | "confirm-wanted"
  | "answers-unclear"
  | "too-many-rounds";

/** The dependencies of `performRequestReply`. */
export interface PerformRequestDeps extends UnderstandDeps {
  readonly requestCall: (request: CallRequest) => Promise<Call>;
  readonly undoCall: (call: Call, principal: Principal) => Promise<Call>;
  readonly ports: Pick<Ports, "catalog" | "store">;
}

interface RequestReply extends Extract<RequestAssessment, { kind: "reply" }> {
  readonly act: RequestAct;
  /** Whether a process took this reply before and may have died. */
  readonly isAgain: boolean;
}

/** The maximum number of answers to one request. */
const maxRounds = 10;

/** Performs what a reply about a request asks for. Returns why it had no effect. Repeating it has no second effect. */
export async function performRequestReply(
  reply: RequestReply,
  deps: PerformRequestDeps,
): Promise<RequestAnswerCode | undefined> {
  const { token, act, isAgain } = reply;
  const request = await deps.mailRequests.find(token.tenant, token.request);
  const isCurrent = request !== undefined && toAnswerId(request) === token.notice;
  if (act.kind === "undo") return undoRequest(reply, request, deps);
  if (act.kind === "answer") return answerQuestions(reply, act, request, deps);
  if (request?.call && isCurrent) return isAgain ? undefined : "request-used";
  if (isAgain && act.kind === "cancel" && request?.state === "closed") return undefined;
  if (!isCurrent || (request.state !== "plan" && request.state !== "question")) return "request-outdated";
  if (act.kind === "cancel") {
    await deps.mailRequests.close(request, "cancelled");
    return undefined;
  }
  return confirmPlan(reply, request, deps);
}

/**
 * [TRUST 35] Requests the plan that the mail showed. The seal proves that this deployment understood the words as this
 * plan for this person. The idempotency key derives from the request, so one request by mail is at most one call.
 */
async function confirmPlan(
  { token, person: { principal } }: RequestReply,
  request: MailRequest,
  { intents, requestCall, mailRequests }: PerformRequestDeps,
): Promise<RequestAnswerCode | undefined> {
  const { plan, intent } = (request.result ?? {}) as unknown as {
    readonly plan?: Json;
    readonly intent?: SealedIntent;
  };
  const isShown = request.state === "plan" && plan !== undefined && digest(plan) === token.roundDigest;
  const words = isShown && intent ? intents.openRecord(principal, plan, intent) : undefined;
  if (!isShown || !words) return "request-outdated";
  try {
    const call = await requestCall({
      principal,
      capability: planCapability,
      input: plan,
      words,
      key: `mail:${request.id}`,
    });
    await mailRequests.recordCall(request, call.call);
    return undefined;
  } catch (error) {
    if (!(error instanceof ParaphError)) throw error;
    await mailRequests.close(request, error.code);
    return "request-failed";
  }
}

/**
 * [TRUST 34] Requests the undo that the mail offered, as the undo of any other call. A second reply, or a reply that is
 * read again, finds the same undo. The outcome of the undo is a mail in the same thread.
 */
async function undoRequest(
  { id, token: { tenant, roundDigest }, person: { principal }, messageId, subject }: RequestReply,
  request: MailRequest | undefined,
  { ports, mailRequests, undoCall }: PerformRequestDeps,
): Promise<RequestAnswerCode | undefined> {
  const call = request?.call ? await ports.store.load({ tenant, call: request.call }) : undefined;
  const undo = call && readUndo(call);
  if (!undo || digest(undo as unknown as Json) !== roundDigest) return "not-undoable";
  try {
    const { call: undone } = await undoCall(call, principal);
    await mailRequests.openUndo({
      ...{ tenant, messageId, subject, call: undone },
      id: id.replace(/^reply_/, "request_"),
      person: principal.id,
    });
    return undefined;
  } catch (error) {
    if (!(error instanceof ParaphError)) throw error;
    return error.code === "already-undone" ? "already-undone" : "undo-failed";
  }
}

/** Continues a request with the answers to its questions, and understands it again. */
async function answerQuestions(
  { id, person, token }: RequestReply,
  { lines }: Extract<RequestAct, { kind: "answer" }>,
  request: MailRequest | undefined,
  deps: PerformRequestDeps,
): Promise<RequestAnswerCode | undefined> {
  // A process that died began the round with this reply, and may have recorded its meaning.
  if (request?.reply === id) {
    await understandRequest(request, person, deps);
    return undefined;
  }
  if (!request || toAnswerId(request) !== token.notice) return "request-outdated";
  if (request.state === "plan") return "confirm-wanted";
  if (request.state !== "question") return "request-outdated";
  if (request.round >= maxRounds) return "too-many-rounds";
  const next = addAnswers(request, lines);
  if (next === undefined) return "answers-unclear";
  if (!(await deps.mailRequests.beginRound(next, id))) return "request-outdated";
  await understandRequest(request, person, deps);
  return undefined;
}

/**
 * Returns the request with the answers: one line for each missing fact, in the order of the questions. The reply to a
 * single question is its answer as a whole. If a question is about more than a fact, the reply is the new request.
 */
function addAnswers(request: MailRequest, lines: readonly string[]): MailRequest | undefined {
  const { questions } = readQuestions(request);
  if (!questions.every(isAnswerable)) return { ...request, words: joinWrapped(lines), answers: [] };
  const values = questions.length === 1 ? [joinWrapped(lines)] : lines;
  if (values.length !== questions.length) return undefined;
  const added = questions.map(({ step, field = "" }, index) => ({ step, field, value: values[index]! }));
  return { ...request, answers: [...request.answers, ...added] };
}

/** Returns the questions of a request, and the plan so far. */
export function readQuestions({ result }: Pick<MailRequest, "result">) {
  const { questions = [], steps = [] } = (result ?? {}) as unknown as {
    readonly questions?: readonly IntentQuestion[];
    readonly steps?: readonly DraftStep[];
  };
  return { questions, steps };
}

/** Returns whether an answer is a fact that the words lack, and not other words. */
export function isAnswerable({ code, field }: IntentQuestion): boolean {
  return (code === "field-missing" || code === "object-ambiguous") && field !== undefined;
}
