import { handleRequest, type RequestDeps } from "../requests/handle-request.ts";
import { type HandleDeps, handleReply } from "./handle-reply.ts";
import { parseMessage } from "./parse-message.ts";

/** The dependencies of `handleMail`. `requests` exists if people may send requests by mail. */
export interface HandleMailDeps extends HandleDeps {
  readonly requests?: RequestDeps;
}

/** Handles one mail, exactly once. It is a request, a reply about a request, or a reply about an approval. */
export async function handleMail(raw: Buffer, deps: HandleMailDeps): Promise<void> {
  const message = await parseMessage(raw);
  if (!message) return deps.log("reply-ignored", { cause: "unreadable" });
  const mail = { raw, message };
  const isHandled = deps.requests !== undefined && (await handleRequest(mail, deps.requests));
  if (!isHandled) await handleReply(mail, deps);
}
