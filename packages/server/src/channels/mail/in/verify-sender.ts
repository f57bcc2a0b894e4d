import type { ParsedMessage } from "./parse-message.ts";
import { type ProofDeps, type ProofFault, proveSender } from "./sender-proof.ts";
import { isFormatSigned } from "./signed-format.ts";

/** Why a mail is not certainly from the person. */
export type SenderFault = ProofFault | "other-sender" | "format-not-signed";

/** A mail, as it arrived and parsed. */
export interface ReceivedMail {
  readonly raw: Buffer;
  readonly message: ParsedMessage;
}

/**
 * [TRUST 3] Returns whether the person with this registered address wrote the mail: it has one sender with this address,
 * and the domain of the sender signed its body and its format.
 */
export async function verifySender(
  { raw, message }: ReceivedMail,
  address: string,
  deps: ProofDeps,
): Promise<{ readonly fault: SenderFault } | { readonly signedTokens: readonly string[] }> {
  const [from, ...others] = message.addresses.from;
  if (message.headers.get("from")?.length !== 1 || others.length > 0) return { fault: "several-senders" };
  const proof = await proveSender(raw, deps);
  if (proof.kind === "none") return { fault: proof.code };
  const isRegistered = (one: string | undefined) => one?.toLowerCase() === address.toLowerCase();
  if (!isRegistered(proof.from) || !isRegistered(from)) return { fault: "other-sender" };
  if (!isFormatSigned(raw, message, proof.signedHeaders)) return { fault: "format-not-signed" };
  return { signedTokens: proof.signedTokens };
}
