import { escapeInvisible } from "@paraph/core/escape-invisible";
import type { ApprovalSummaryView, BundleView } from "../../lib/api/api-views.ts";
import { createApiClient } from "../../lib/api/client.ts";
import { resolveConnection } from "../../lib/api/connection.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { formatCommands } from "../../lib/render/commands.ts";
import { formatTimeUntil } from "../../lib/terminal/format-time.ts";
import { formatTable, type TableColumn } from "../../lib/terminal/table.ts";

export async function showApprovals(context: Context, options: { limit: number }): Promise<ExitCode> {
  const { output } = context;
  const server = await resolveConnection(context, "person");
  const client = createApiClient(server, context.signal);
  const page = await client.request<{
    approvals: ApprovalSummaryView[];
    bundles?: BundleView[];
    next?: string;
  }>(`/v1/approvals?status=open&limit=${options.limit}`);
  if (context.json) output.json(page);
  else if (page.approvals.length + (page.bundles?.length ?? 0) === 0)
    output.info("There are no open approvals.");
  else {
    if (page.approvals.length > 0)
      output.data(formatTable(buildColumns(Date.now()), sortByVoter(page.approvals), output.paint));
    for (const { principal, capability, count, items } of page.bundles ?? []) {
      const together = new URL(
        `/approvals/bundle?${new URLSearchParams({ principal, capability })}`,
        server.url,
      );
      output.data(
        `${escapeInvisible(principal)} has ${count} open requests for ${escapeInvisible(capability)}; the newest is ${items[0]?.approval ?? "gone"}`,
      );
      output.info(output.paintInfo("dim", `  decide all of them at ${together}`));
    }
    const next: readonly [string, string] = page.approvals.some(canApprove)
      ? ["paraph approve APPROVAL", "review, then approve or deny"]
      : ["paraph approval APPROVAL", "show one in full"];
    output.info(`\n${formatCommands([next], output.paintInfo)}`);
    if (page.next !== undefined)
      output.info(output.paintInfo("dim", "  There are older approvals. Raise `--limit` to see them."));
  }
  return exitCode.ok;
}

/** Whether the reader can approve it. An older server does not say, so its approvals count as open to everyone. */
export function canApprove({ voter = "approver" }: ApprovalSummaryView): boolean {
  return voter === "approver" || voter === "confirmation";
}

/** Puts the approvals that the reader can decide first. */
function sortByVoter(approvals: readonly ApprovalSummaryView[]): ApprovalSummaryView[] {
  return [...approvals].sort((a, b) => Number(canApprove(b)) - Number(canApprove(a)));
}

const voterTexts = {
  approver: "can approve",
  confirmation: "can confirm",
  voted: "decided already",
  "own-call": "own request",
  "own-edit": "edited it",
  "not-in-group": "not in the group",
  reassigned: "reassigned it",
  represented: "delegate approved",
} as const;

function buildColumns(now: number): TableColumn<ApprovalSummaryView>[] {
  return [
    { title: "APPROVAL", text: ({ approval }) => approval },
    { title: "FINGERPRINT", text: ({ fingerprint }) => fingerprint },
    {
      title: "YOU",
      text: ({ voter = "approver" }) => voterTexts[voter],
      style: (row) => (canApprove(row) ? "green" : "dim"),
    },
    { title: "CAPABILITY", text: ({ capability }) => capability },
    { title: "WHAT", text: ({ headline }) => headline, flexible: true },
    { title: "REQUESTER", text: ({ principal }) => principal, flexible: true },
    {
      title: "EXPIRES",
      text: ({ expiresAt }) => formatTimeUntil(Date.parse(expiresAt), now),
      style: () => "yellow",
    },
    {
      title: "REASON",
      text: ({ guards }) => guards.map(({ sentence }) => sentence).join(" "),
      flexible: true,
    },
  ];
}
