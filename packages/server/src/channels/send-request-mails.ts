import { digest, findUndoneCall, type Json, type Principal, type ReceiptBundle } from "@paraph/core";
import { toStepViews } from "../http/views/plan-view.ts";
import { type MailRequest, type MailRequestToken, requestLastingMs } from "../postgres/index.ts";
import { createReplyToken, digestToken } from "./mail/in/reply-token.ts";
import { toAnswerId, toOutcomeId } from "./mail/requests/mail-ids.ts";
import { isAnswerable, readQuestions } from "./mail/requests/perform-request.ts";
import { describeUndo, listRemaining } from "./mail/requests/undo-offer.ts";
import { createNoticeLinks } from "./notice-content.ts";
import type { PlanSummary, RequestContent, RequestOutcome } from "./request-content.ts";
import type { SendDeps } from "./send-notices.ts";

const batchSize = 20;

/**
 * Answers the requests that people sent by mail: with questions, with the plan, with a refusal, or with the outcome once
 * the plan ended. The answer goes to the registered address of the requester. A mail that is sent twice has the same id.
 */
export async function sendRequestMails(deps: SendDeps): Promise<void> {
  const { config, channel, mailRequests, notices, rate, ports, signal } = deps;
  for (const ref of await mailRequests.listDue(batchSize)) {
    if (signal.aborted || !rate.take(ports.clock.now())) return;
    const request = await mailRequests.beginAttempt(ref);
    if (!request) continue;
    const { tenant, person: id } = request;
    const [person] = await notices.listPeople(tenant, config.name, { ids: [id], limit: 1 });
    const content = person && (await buildContent(request, person.principal, deps));
    if (!person || !content) {
      await mailRequests.close(request, person ? "call-gone" : "recipient-unreachable");
      continue;
    }
    const reply = await createReply(request, content, deps);
    const delivery = await channel.tell(
      {
        id: toMailId(request, content),
        tenant,
        address: person.address,
        content,
        answers: {
          subject: request.subject ?? "",
          ...(request.messageId !== null && { messageId: request.messageId }),
        },
        ...(reply && { reply }),
      },
      signal,
    );
    if (delivery.kind === "sent") await mailRequests.markSent(request);
    else if (delivery.permanent) await mailRequests.close(request, delivery.code);
  }
}

function toMailId(request: MailRequest, { about }: RequestContent): string {
  return about === "outcome" ? toOutcomeId(request) : toAnswerId(request);
}

/** Creates the token with which the person replies, and records it before the mail leaves. */
async function createReply(
  request: MailRequest,
  content: RequestContent,
  deps: SendDeps,
): Promise<{ readonly token: string; readonly approves: boolean } | undefined> {
  const shown = findShown(request, content, deps);
  if (!shown) return undefined;
  const token = createReplyToken();
  await deps.mailRequests.createToken({
    tenant: request.tenant,
    digest: digestToken(token),
    notice: toMailId(request, content),
    recipient: request.person,
    request: request.id,
    ...shown,
  });
  return { token, approves: shown.complete };
}

/** Returns what a reply to the mail can request, or undefined if the mail takes no reply. */
function findShown(
  request: MailRequest,
  content: RequestContent,
  { ports }: SendDeps,
): Pick<MailRequestToken, "planDigest" | "complete" | "expiresAt"> | undefined {
  const { expiresAt } = request;
  switch (content.about) {
    case "questions":
      return { planDigest: "", complete: false, expiresAt };
    case "plan":
      return { planDigest: digest(readPlan(request).plan), complete: content.fault === undefined, expiresAt };
    case "outcome":
      return (
        content.undo && {
          planDigest: content.undo.digest,
          complete: content.undo.fault === undefined,
          expiresAt: ports.clock.now() + requestLastingMs,
        }
      );
    case "refusal":
      return undefined;
  }
}

async function buildContent(
  request: MailRequest,
  principal: Principal,
  deps: SendDeps,
): Promise<RequestContent | undefined> {
  const kind = "mail-request";
  const links = createNoticeLinks(deps.url(), request.call === null ? "/console" : `/calls/${request.call}`);
  switch (request.state) {
    case "question": {
      const { questions, steps } = readQuestions(request);
      const wantsFacts = questions.every(isAnswerable);
      return { kind, links, about: "questions", questions, steps, wantsFacts };
    }
    case "plan": {
      const { plan, summary } = readPlan(request);
      const { expiresAt } = request;
      return { kind, links, about: "plan", fingerprint: digest(plan), expiresAt, ...summary };
    }
    case "submitted": {
      const outcome = await describeOutcome(request, principal, deps);
      return outcome && { kind, links, ...outcome };
    }
    default:
      return { kind, links, about: "refusal", code: request.code ?? "failed" };
  }
}

function readPlan({ result }: MailRequest) {
  return result as unknown as { readonly plan: Json; readonly summary: PlanSummary };
}

/** [TRUST 16] Describes how the plan ended. The receipt holds no payloads, because the mail leaves the deployment. */
async function describeOutcome(
  { tenant, call: id }: MailRequest,
  principal: Principal,
  deps: SendDeps,
): Promise<RequestOutcome | undefined> {
  const { ports, mailRequests } = deps;
  const { store } = ports;
  const call = id === null ? undefined : await store.load({ tenant, call: id });
  if (!call?.outcome) return undefined;
  const envelope = await mailRequests.findReceipt(tenant, call.call);
  const bundle: ReceiptBundle | undefined = envelope && {
    mediaType: "application/vnd.paraph.receipt.v1+json",
    envelope,
    disclosures: {},
  };
  const input = call.payloads.input?.value;
  const undo = await describeUndo(call, principal, deps);
  const isUndo = findUndoneCall(call) !== undefined;
  const steps = toStepViews(call, { input, preview: null } as never, await store.children(call));
  return {
    about: "outcome",
    call: call.call,
    isUndo,
    ...(undo && { undo }),
    remaining: isUndo || call.outcome.kind === "succeeded" ? await listRemaining(call, ports) : [],
    outcome: call.outcome,
    votes: call.approval?.votes ?? [],
    steps: steps.map(({ capability, status, outcome }) => ({
      capability,
      result: outcome ? `${outcome.kind} (${outcome.code})` : stepResults[status],
    })),
    ...(bundle && { receipt: `${JSON.stringify(bundle, null, 2)}\n` }),
  };
}

const stepResults = {
  planned: "Not performed",
  declined: "Left out by an approver",
  skipped: "Skipped",
  open: "Still open",
  closed: "Closed",
} as const;
