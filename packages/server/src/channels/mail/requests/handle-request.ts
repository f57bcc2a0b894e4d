import type { ReplyStore } from "../../../postgres/index.ts";
import type { ReceivedMail } from "../in/verify-sender.ts";
import {
  type AssessRequestDeps,
  assessRequest,
  type RequestAssessment,
  requestDefaults,
} from "./assess-request.ts";
import { type PerformRequestDeps, performRequestReply, type RequestAnswerCode } from "./perform-request.ts";
import { joinWrapped } from "./read-words.ts";
import { toRequestAct } from "./request-act.ts";
import { understandRequest } from "./understand-request.ts";

/** The dependencies of `handleRequest`. */
export interface RequestDeps extends AssessRequestDeps, PerformRequestDeps {
  readonly replies: Pick<ReplyStore, "take" | "end">;
  readonly log: (code: string, about?: { tenant?: string; cause?: string }) => void;
}

/**
 * Handles a request by mail, or a reply about one, exactly once. Returns false if the mail is neither. Throws if
 * PostgreSQL is unavailable, and then the mail is read again later.
 */
export async function handleRequest(mail: ReceivedMail, deps: RequestDeps): Promise<boolean> {
  const assessed = await assessRequest(mail, deps);
  if (assessed.kind === "other") return false;
  if (assessed.kind === "ignore") deps.log("mail-request-ignored", { cause: assessed.code });
  else if (assessed.kind === "request") await handleNew(mail, assessed, deps);
  else await handleReply(assessed, deps);
  return true;
}

/** Records the request before Paraph understands it. If the process dies in between, the mail is read again. */
async function handleNew(
  { message: { messageId, subject } }: ReceivedMail,
  { id, person, read }: Extract<RequestAssessment, { kind: "request" }>,
  deps: RequestDeps,
): Promise<void> {
  const { tenant } = person.principal;
  const recorded = await deps.mailRequests.open({
    tenant,
    id,
    person: person.principal.id,
    messageId,
    subject,
    words: "fault" in read ? "" : joinWrapped(read.lines),
    code: "fault" in read ? read.fault : undefined,
    maxPerHour: deps.options.maxPerHour ?? requestDefaults.maxPerHour,
  });
  if (recorded === "received") await understandRequest({ tenant, id }, person, deps);
  if (recorded === "limited") deps.log("mail-request-refused", { tenant, cause: "rate-limited" });
}

/** Takes the reply before its effect, as replies about approvals are. */
async function handleReply(
  reply: Extract<RequestAssessment, { kind: "reply" }>,
  deps: RequestDeps,
): Promise<void> {
  const { id, token } = reply;
  const act = toRequestAct(reply, deps.now());
  const taken = await deps.replies.take(token, id, act.kind);
  if (taken === "done") return;
  const code: RequestAnswerCode | undefined =
    act.kind === "none"
      ? act.code
      : taken === "used"
        ? "request-used"
        : await performRequestReply({ ...reply, act, isAgain: taken === "again" }, deps);
  if (code !== undefined) deps.log("mail-request-refused", { tenant: token.tenant, cause: code });
  await deps.replies.end(token.tenant, id, code);
}
