import type { ApiClient } from "../api/client.ts";
import { CliError } from "../cli-error.ts";

/** `last` for a call's id: the newest there is that is no step of another. Reading the wrong one harms nobody. */
export async function resolveCallId(client: ApiClient, id: string): Promise<string> {
  if (id !== "last") return id;
  const { calls } = await client.request<{ calls: { call: string }[] }>("/v1/calls?limit=1&steps=false");
  if (calls[0]) return calls[0].call;
  throw new CliError("call-unknown", "There is no call yet: `paraph call` makes one.");
}

/**
 * `last` for an approval's id: the one that waits, as long as there is only one. With two, an agent could slip its own
 * under somebody's yes, so they have to say which.
 */
export async function resolveApprovalId(client: ApiClient, id: string): Promise<string> {
  if (id !== "last") return id;
  const { approvals, bundles = [] } = await client.request<{
    approvals: { approval: string }[];
    bundles?: unknown[];
  }>("/v1/approvals?status=open&limit=2");
  const [only] = approvals;
  const another = approvals.length > 1 || bundles.length > 0;
  if (!only && !another) throw new CliError("approval-unknown", "Nothing waits for a person.");
  if (!only || another)
    throw new CliError(
      "approval-unknown",
      "More than one waits: `paraph approvals` lists them, then name the one you mean.",
    );
  return only.approval;
}
