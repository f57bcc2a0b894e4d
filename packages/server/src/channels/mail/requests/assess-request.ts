import type { MailRequestStore, ReachablePerson, ReplyToken, RequestToken } from "../../../postgres/index.ts";
import { createReplyId, digestMail, findToken } from "../in/assess-reply.ts";
import { findAutomaticReason, type IgnoredReason } from "../in/automatic.ts";
import { digestToken } from "../in/reply-token.ts";
import type { ProofDeps } from "../in/sender-proof.ts";
import { type ReceivedMail, type SenderFault, verifySender } from "../in/verify-sender.ts";
import type { RequestOptions } from "../options.ts";
import { type ReadWords, readWords } from "./read-words.ts";

/** The treatment of a mail, if it is a request or a reply about one. */
export type RequestAssessment =
  | { readonly kind: "other" }
  /** Nothing happens, and no answer is sent, because it could reach a person who did not write. */
  | { readonly kind: "ignore"; readonly code: IgnoredRequest }
  | {
      readonly kind: "request";
      readonly id: string;
      readonly person: ReachablePerson;
      readonly read: ReadWords;
    }
  | {
      readonly kind: "reply";
      readonly id: string;
      readonly person: ReachablePerson;
      readonly token: RequestToken;
      readonly read: ReadWords;
      /** The Message-ID and the subject of the reply, for the thread. */
      readonly messageId: string | undefined;
      readonly subject: string;
      /** Whether the signature covers the address with the token. */
      readonly isAddressSigned: boolean;
    };

/** Why a mail gets neither an effect nor an answer. */
export type IgnoredRequest = IgnoredReason | SenderFault | "not-allowed" | "not-linked";

/** The dependencies of `assessRequest`. `address` is the address for requests. */
export interface AssessRequestDeps extends ProofDeps {
  readonly options: RequestOptions;
  /** The addresses from which Paraph itself sends. */
  readonly own: readonly string[];
  readonly mailRequests: MailRequestStore;
  findToken(digest: string): Promise<ReplyToken | RequestToken | undefined>;
  /** Returns the person, if they may still use Paraph and get mails. */
  findReachable(tenant: string, person: string): Promise<ReachablePerson | undefined>;
}

/** The default limits of requests by mail. */
export const requestDefaults = { maxPerHour: 20, maxBytes: 256_000 } as const;

/**
 * [TRUST 3] Decides whether a mail is a request of a person. The sender's address must be allowed and registered for
 * exactly one person, and the domain of the sender must have signed the mail. The same holds for each reply. Any other
 * mail gets no answer, so that a forged sender gets none either.
 */
export async function assessRequest(mail: ReceivedMail, deps: AssessRequestDeps): Promise<RequestAssessment> {
  const { raw, message } = mail;
  const { options, own } = deps;
  const text = findToken(message, options.address);
  const token = text === undefined ? undefined : await deps.findToken(digestToken(text));
  const isReply = token !== undefined && token.request !== null && token.tenant === options.tenant;
  if (!isReply && (text !== undefined || !isAddressedTo(message.addresses, options.address)))
    return { kind: "other" };

  const ignore = (code: IgnoredRequest): RequestAssessment => ({ kind: "ignore", code });
  const automatic = findAutomaticReason(message, own);
  if (automatic !== undefined) return ignore(automatic);
  const [from = ""] = message.addresses.from;
  if (!isAllowed(from, options.allow)) return ignore("not-allowed");
  const id = isReply ? token.recipient : await deps.mailRequests.findPerson(options.tenant, from);
  const person = id === undefined ? undefined : await deps.findReachable(options.tenant, id);
  if (!person) return ignore("not-linked");
  const sender = await verifySender(mail, person.address, deps);
  if ("fault" in sender) return ignore(sender.fault);

  const read = readWords(mail, options.maxBytes ?? requestDefaults.maxBytes);
  if (!isReply || text === undefined) {
    const digest = digestMail(raw, [options.tenant, person.principal.id, message.messageId ?? ""]);
    return { kind: "request", id: `request_${digest}`, person, read };
  }
  return {
    kind: "reply",
    id: createReplyId(raw, message, token),
    person,
    token,
    read,
    messageId: message.messageId,
    subject: message.subject,
    isAddressSigned: sender.signedTokens.includes(text),
  };
}

function isAddressedTo(
  { to, cc }: { readonly to: readonly string[]; readonly cc: readonly string[] },
  address: string,
): boolean {
  return [...to, ...cc].some((one) => one.toLowerCase() === address.toLowerCase());
}

function isAllowed(from: string, allow: readonly string[]): boolean {
  const address = from.toLowerCase();
  return allow.some((one) => {
    const entry = one.toLowerCase();
    return entry.startsWith("@") ? address.slice(address.lastIndexOf("@")) === entry : address === entry;
  });
}
