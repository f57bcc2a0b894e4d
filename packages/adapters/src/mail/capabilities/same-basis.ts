import { type ExecutionContext, type JsonObject, sameJson } from "@paraph/core";
import { mailFault } from "../connection/mail-fault.ts";

/** [P5] Throws if the mailbox is not as it was in the preview. Without a preview, nothing is performed. */
export function requireSameBasis({ basis: approved }: ExecutionContext, current: JsonObject): void {
  if (approved === undefined || !sameJson(approved, current))
    throw mailFault(
      "permanent",
      "basis-changed",
      "The message or its folder changed after the preview. Nothing was changed.",
    );
}
