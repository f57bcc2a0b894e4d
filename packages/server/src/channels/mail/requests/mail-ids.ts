import type { MailRequest } from "../../../postgres/index.ts";

/** Returns the id of the answer mail of a round. A token belongs to one such mail. */
export function toAnswerId({ id, round }: Pick<MailRequest, "id" | "round">): string {
  return `${id}_${round}`;
}

/** Returns the id of the mail that says how a request ended. */
export function toOutcomeId({ id }: Pick<MailRequest, "id">): string {
  return `${id}_outcome`;
}
