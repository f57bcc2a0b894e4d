import type { ApiClient } from "../api/client.ts";
import { CliError } from "../cli-error.ts";
import { listCalls } from "./list-calls.ts";

/** Resolves `last` to the newest call that is not a step. Returns any other id unchanged. */
export async function resolveCallId(client: ApiClient, id: string): Promise<string> {
  if (id !== "last") return id;
  const { calls } = await listCalls(client, { steps: "false" }, 1).catch((error) => {
    if (error?.code !== "scope-missing") throw error;
    throw new CliError(
      "scope-missing",
      "`last` lists calls, and the API key lacks the scope `read` for that. Pass the id of the call instead.",
      { cause: error },
    );
  });
  if (calls[0]) return calls[0].call;
  throw new CliError("call-unknown", "There are no calls yet. Run `paraph call` to make one.");
}

/**
 * Resolves `last` to the open approval if only one is open. If more than one is open, the person must name one.
 * Otherwise `last` could select an approval that an agent opened just before the person decided.
 */
export async function resolveApprovalId(client: ApiClient, id: string): Promise<string> {
  if (id !== "last") return id;
  const { approvals, bundles = [] } = await client.request<{
    approvals: { approval: string }[];
    bundles?: unknown[];
  }>("/v1/approvals?status=open&limit=2");
  const [only] = approvals;
  const another = approvals.length > 1 || bundles.length > 0;
  if (!only && !another) throw new CliError("approval-unknown", "There are no open approvals.");
  if (!only || another)
    throw new CliError(
      "approval-unknown",
      "More than one approval is open. Run `paraph approvals` to list them, then pass the id of one.",
    );
  return only.approval;
}
