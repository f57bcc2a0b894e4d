import { createHash } from "node:crypto";
import type { Call, Contract } from "@paraph/core";
import type { ReachablePerson, ReplyToken } from "../../../postgres/index.ts";
import { findReplyApprovalFault, type ReplyApprovalFault } from "../../reply-approval.ts";
import type { IgnoredReason } from "./automatic.ts";
import type { Command, HelpReason } from "./command.ts";
import type { ParsedMessage } from "./parse-message.ts";
import { readReply } from "./read-reply.ts";
import { digestToken, readTokenAddress } from "./reply-token.ts";
import type { ProofDeps } from "./sender-proof.ts";
import { type ReceivedMail, type SenderFault, verifySender } from "./verify-sender.ts";

/** The treatment of a mail. Only `act` has an effect on a request. */
export type Assessment =
  | {
      readonly kind: "act";
      readonly id: string;
      readonly token: ReplyToken;
      readonly person: ReachablePerson;
      readonly act: ReplyAct;
    }
  /** Nothing happens. The person who got the notice is told why. */
  | { readonly kind: "answer"; readonly id: string; readonly token: ReplyToken; readonly code: AnswerCode }
  /** Nothing happens, and no answer is sent. */
  | {
      readonly kind: "ignore";
      readonly code: IgnoredReason | "no-token" | "unknown-recipient";
    };

/** An act for which Paraph found every condition met. */
export type ReplyAct = { readonly kind: "approve" } | Exclude<Command, { kind: "help" | "approve-wanted" }>;

/** Why a reply has no effect. */
export type AnswerCode =
  | HelpReason
  | SenderFault
  | ReplyApprovalFault
  | "expired"
  | "address-not-signed"
  | "not-shown-in-full"
  | "token-used"
  | "already-decided"
  | "not-allowed"
  | "page-needed";

/** The dependencies of `assessReply`. */
export interface AssessDeps extends ProofDeps {
  /** The addresses from which Paraph itself sends. */
  readonly own: readonly string[];
  findToken(digest: string): Promise<ReplyToken | undefined>;
  /** Returns the person who got the notice, if they may still use Paraph and have an address. */
  findRecipient(token: ReplyToken): Promise<ReachablePerson | undefined>;
  findCall(
    token: ReplyToken,
  ): Promise<{ readonly call: Call; readonly contract: Contract | undefined } | undefined>;
}

/**
 * [TRUST 3] Decides what a mail may do. The token in the recipient's address names the notice and the person. The mail
 * must be signed by the domain of its one sender, and that sender's address must be the person's registered address. The
 * vote itself then checks whether the person may decide.
 */
export async function assessReply(mail: ReceivedMail, deps: AssessDeps): Promise<Assessment> {
  const { raw, message } = mail;
  const text = findToken(message, deps.address);
  if (text === undefined) return { kind: "ignore", code: "no-token" };
  const verdict = readReply(message, deps.own);
  if (verdict.kind === "ignored") return { kind: "ignore", code: verdict.reason };
  const token = await deps.findToken(digestToken(text));
  if (!token) return { kind: "ignore", code: "no-token" };
  const person = await deps.findRecipient(token);
  if (!person) return { kind: "ignore", code: "unknown-recipient" };

  const id = createReplyId(raw, message, token);
  const answer = (code: AnswerCode): Assessment => ({ kind: "answer", id, token, code });
  const sender = await verifySender(mail, person.address, deps);
  if ("fault" in sender) return answer(sender.fault);
  if (deps.now() >= token.expiresAt) return answer("expired");
  if (verdict.kind === "help") return answer(verdict.reason);
  if (verdict.kind !== "approve-wanted") return { kind: "act", id, token, person, act: verdict };

  // A server that holds the mail could otherwise send it to the address of another request.
  if (!sender.signedTokens.includes(text)) return answer("address-not-signed");
  const found = await deps.findCall(token);
  const round = found?.call.approval;
  if (!found || !round || round.id !== token.approval) return answer("already-decided");
  const fault = findReplyApprovalFault(found.call, round, found.contract);
  if (fault !== undefined) return answer(fault);
  if (!token.complete) return answer("not-shown-in-full");
  return { kind: "act", id, token, person, act: { kind: "approve" } };
}

/** Returns the one token among the recipients. */
export function findToken({ addresses }: ParsedMessage, address: string): string | undefined {
  const all = [...addresses.to, ...addresses.cc].flatMap((one) => readTokenAddress(one, address) ?? []);
  const [token, ...others] = new Set(all);
  return others.length === 0 ? token : undefined;
}

/**
 * Returns the id of a reply. A mail that arrives twice, or that is read again from a rebuilt mailbox, has the same id.
 * The body is part of it, so that a forged mail cannot use up the id of a genuine one.
 */
export function createReplyId(
  raw: Buffer,
  { messageId }: ParsedMessage,
  { digest }: Pick<ReplyToken, "digest">,
): string {
  return `reply_${digestMail(raw, [digest, messageId ?? ""])}`;
}

/** Returns a digest of a mail's body and of what identifies the mail besides it. */
export function digestMail(raw: Buffer, identity: readonly string[]): string {
  const end = raw.indexOf("\r\n\r\n");
  const body = createHash("sha256")
    .update(end < 0 ? raw : raw.subarray(end))
    .digest("hex");
  const parts = JSON.stringify([...identity, body]);
  return createHash("sha256").update(parts).digest("hex").slice(0, 32);
}
