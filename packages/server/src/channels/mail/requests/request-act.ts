import type { RequestAssessment } from "./assess-request.ts";
import type { RequestAnswerCode } from "./perform-request.ts";

/** An act that a reply about a request asks for. */
export type RequestAct =
  | { readonly kind: "confirm" | "cancel" }
  | { readonly kind: "answer"; readonly lines: readonly string[] };

/**
 * [TRUST 3] Reads the act of a reply. A confirmation must be the only line, so that no condition is overlooked. Its
 * address must be signed, because a server that holds the mail could otherwise send it to the address of another plan.
 */
export function toRequestAct(
  { read, token, isAddressSigned }: Extract<RequestAssessment, { kind: "reply" }>,
  now: number,
): RequestAct | { readonly kind: "none"; readonly code: RequestAnswerCode } {
  const none = (code: RequestAnswerCode) => ({ kind: "none", code }) as const;
  if (now >= token.expiresAt) return none("request-expired");
  if ("fault" in read) return none(read.fault);
  const [first = "", ...rest] = read.lines;
  const word = first.replace(/[.!]+$/, "").toLowerCase();
  if (word !== "confirm" && word !== "cancel") return { kind: "answer", lines: read.lines };
  if (rest.length > 0) return none("confirm-not-alone");
  if (word === "cancel") return { kind: "cancel" };
  if (!isAddressSigned) return none("confirm-not-signed");
  return token.complete ? { kind: "confirm" } : none("not-confirmable");
}
