import { digest, type Json, type ReceiptBundle } from "@paraph/core";
import { toStepViews } from "../http/views/plan-view.ts";
import type { MailRequest } from "../postgres/index.ts";
import { createReplyToken, digestToken } from "./mail/in/reply-token.ts";
import { isAnswerable, readQuestions, toAnswerId } from "./mail/requests/perform-request.ts";
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
    const content = person && (await buildContent(request, deps));
    if (!person || !content) {
      await mailRequests.close(request, person ? "call-gone" : "recipient-unreachable");
      continue;
    }
    const reply = await createReply(request, content, deps);
    const delivery = await channel.tell(
      {
        id: content.about === "outcome" ? `${request.id}_outcome` : toAnswerId(request),
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

/** Creates the token with which the person replies, and records it before the mail leaves. */
async function createReply(
  request: MailRequest,
  content: RequestContent,
  { mailRequests }: SendDeps,
): Promise<{ readonly token: string; readonly approves: boolean } | undefined> {
  if (content.about !== "questions" && content.about !== "plan") return undefined;
  const token = createReplyToken();
  const approves = content.about === "plan" && content.fault === undefined;
  await mailRequests.createToken({
    tenant: request.tenant,
    digest: digestToken(token),
    notice: toAnswerId(request),
    recipient: request.person,
    request: request.id,
    planDigest: content.about === "plan" ? digest(readPlan(request).plan) : "",
    complete: approves,
    expiresAt: request.expiresAt,
  });
  return { token, approves };
}

async function buildContent(request: MailRequest, deps: SendDeps): Promise<RequestContent | undefined> {
  const kind = "mail-request";
  const links = createNoticeLinks(deps.url(), request.call === null ? "/console" : `/calls/${request.call}`);
  switch (request.state) {
    case "question": {
      const questions = readQuestions(request);
      return { kind, links, about: "questions", questions, wantsFacts: questions.every(isAnswerable) };
    }
    case "plan": {
      const { plan, summary } = readPlan(request);
      const { expiresAt } = request;
      return { kind, links, about: "plan", fingerprint: digest(plan), expiresAt, ...summary };
    }
    case "submitted": {
      const outcome = await describeOutcome(request, deps);
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
  { ports: { store }, mailRequests }: SendDeps,
): Promise<RequestOutcome | undefined> {
  const call = id === null ? undefined : await store.load({ tenant, call: id });
  if (!call?.outcome) return undefined;
  const envelope = await mailRequests.findReceipt(tenant, call.call);
  const bundle: ReceiptBundle | undefined = envelope && {
    mediaType: "application/vnd.paraph.receipt.v1+json",
    envelope,
    disclosures: {},
  };
  const input = call.payloads.input?.value;
  const steps = toStepViews(call, { input, preview: null } as never, await store.children(call));
  return {
    about: "outcome",
    call: call.call,
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
