import type { InboxItem } from "../api/types.ts";

/** Returns whether the reader's decision would count. */
export function isForReader({ voter }: Pick<InboxItem, "voter">): boolean {
  return voter === "approver" || voter === "confirmation";
}

/** Returns how many approvals a request has and needs, such as `1 of 2 approved`. */
export function formatNeed({ guards, votes }: Pick<InboxItem, "guards" | "votes">): string {
  return `${votes} of ${Math.max(1, ...guards.map(({ quorum }) => quorum))} approved`;
}

const reasons: Partial<Record<InboxItem["voter"], string>> = {
  voted: "you decided",
  "own-call": "your own request",
  "own-edit": "you edited it",
  "not-in-group": "another group decides",
  reassigned: "you reassigned it",
  represented: "your delegate approved",
};

/** Returns why a request does not wait for the reader. */
export function formatReason({
  voter,
  principal,
}: Pick<InboxItem, "voter" | "principal">): string | undefined {
  if (voter === "own-call" && principal.owner !== undefined) return "your agent's request";
  return reasons[voter];
}
