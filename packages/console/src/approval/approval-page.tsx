import { ApprovalView } from "./approval-view.tsx";

/** One approval at its own address, such as the link in a mail. */
export function ApprovalPage({ approval }: { readonly approval: string }) {
  return <ApprovalView key={approval} approval={approval} />;
}
