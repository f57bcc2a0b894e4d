import type { ReplyStore } from "../../../postgres/index.ts";
import { type AssessDeps, type Assessment, assessReply } from "./assess-reply.ts";
import { type PerformDeps, performReply } from "./perform-reply.ts";
import type { ReceivedMail } from "./verify-sender.ts";

/** The dependencies of `handleReply`. */
export interface HandleDeps extends AssessDeps, PerformDeps {
  readonly replies: Pick<ReplyStore, "take" | "end">;
  readonly log: (code: string, about?: { tenant?: string; call?: string; cause?: string }) => void;
}

/**
 * Handles one reply about an approval, exactly once. The reply is recorded before its effect, and its end after it. If the process dies in
 * between, the next one reads the mail again, and the effect recognises itself. Throws if PostgreSQL is unavailable, and
 * then the mail is read again later.
 */
export async function handleReply(mail: ReceivedMail, deps: HandleDeps): Promise<void> {
  const assessed = await assessReply(mail, deps);
  if (assessed.kind === "ignore") return deps.log("reply-ignored", { cause: assessed.code });
  const { id, token } = assessed;
  const about = { tenant: token.tenant, call: token.call };
  const taken = await deps.replies.take(token, id, toWish(assessed));
  if (taken === "done") return;
  const code = await settle(assessed, taken, deps);
  if (code !== undefined) deps.log("reply-refused", { ...about, cause: code });
  await deps.replies.end(token.tenant, id, code);
}

function toWish(assessed: Exclude<Assessment, { kind: "ignore" }>): string {
  return assessed.kind === "act" ? assessed.act.kind : "none";
}

async function settle(
  assessed: Exclude<Assessment, { kind: "ignore" }>,
  taken: "new" | "again" | "used",
  deps: HandleDeps,
) {
  if (assessed.kind === "answer") return assessed.code;
  return taken === "used" ? "token-used" : performReply(assessed, deps);
}
