import type { RequestAssessment } from "./assess-request.ts";
import { toOutcomeId } from "./mail-ids.ts";
import type { RequestAnswerCode } from "./perform-request.ts";

/** An act that a reply about a request asks for. */
export type RequestAct =
  | { readonly kind: "confirm" | "cancel" | "undo" }
  | { readonly kind: "answer"; readonly lines: readonly string[] };

/**
 * [TRUST 3] Reads the act of a reply. A confirmation, or the wish to undo the request that a mail says ended, must be the
 * only line, so that no condition is overlooked. Its address must be signed, because a server that holds the mail could
 * otherwise send it to the address of another plan.
 */
export function toRequestAct(
  { read, token, isAddressSigned }: Extract<RequestAssessment, { kind: "reply" }>,
  now: number,
): RequestAct | { readonly kind: "none"; readonly code: RequestAnswerCode } {
  const none = (code: RequestAnswerCode) => ({ kind: "none", code }) as const;
  const isOutcome = token.notice === toOutcomeId({ id: token.request });
  if (now >= token.expiresAt) return none(isOutcome ? "undo-expired" : "request-expired");
  if ("fault" in read) return none(read.fault);
  const [first = "", ...rest] = read.lines;
  const word = first.replace(/[.!]+$/, "").toLowerCase();
  if (isOutcome) {
    if (!/^undo(?: (?:that|this|it))?$/.test(word)) return none("undo-wanted");
    if (rest.length > 0) return none("confirm-not-alone");
    if (!isAddressSigned) return none("confirm-not-signed");
    return token.complete ? { kind: "undo" } : none("not-undoable");
  }
  if (word !== "confirm" && word !== "cancel") return { kind: "answer", lines: read.lines };
  if (rest.length > 0) return none("confirm-not-alone");
  if (word === "cancel") return { kind: "cancel" };
  if (!isAddressSigned) return none("confirm-not-signed");
  return token.complete ? { kind: "confirm" } : none("not-confirmable");
}
