import { CapabilityError, type FaultKind } from "@paraph/core";
import { escapeInvisible } from "@paraph/core/escape-invisible";
import { redactSecrets } from "../../egress/secrets.ts";
import type { CallContext } from "../context.ts";

/** The maximum length of a server's reply in the message of a fault. */
const maxReplyLength = 300;

export function mailFault(kind: FaultKind, code: string, message: string): CapabilityError {
  return new CapabilityError(kind, code, message);
}

/** Quotes the reply of a server on one line, without the secrets. */
export function quoteReply(reply: unknown, secrets: readonly string[]): string {
  if (typeof reply !== "string" || reply === "") return "";
  const shown = escapeInvisible(redactSecrets(reply, secrets)).slice(0, maxReplyLength).toWellFormed();
  return ` The server answered: ${shown}`;
}

const certificateCodes =
  /^(?:CERT_|ERR_TLS_CERT_|UNABLE_TO_|DEPTH_ZERO_SELF_SIGNED_CERT$|SELF_SIGNED_CERT_IN_CHAIN$)/;

/** Returns the fault of a connection that failed before anything was performed. */
export function toConnectFault(error: unknown, server: string, { signal }: CallContext): CapabilityError {
  if (error instanceof CapabilityError) return error;
  if (signal.aborted)
    return mailFault("not-performed", "stopped", "Paraph stopped the call before it changed anything.");
  const { code, originalCode, message = "" } = (error ?? {}) as Record<string, unknown>;
  if (
    [code, originalCode].some((each) => certificateCodes.test(String(each))) ||
    /certificate|altnames/i.test(String(message))
  )
    return mailFault(
      "permanent",
      "certificate-invalid",
      `The certificate of the ${server} server is not valid. Correct \`url\`, or set \`ca\` for a private authority.`,
    );
  return mailFault(
    "not-performed",
    "unreachable",
    `Paraph could not connect to the ${server} server. Check \`url\` and the server.`,
  );
}

export function messageMissingFault(): CapabilityError {
  return mailFault(
    "permanent",
    "message-missing",
    "The message is no longer in this folder. Search for it again.",
  );
}
