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
      output.data(formatTable(buildColumns(Date.now()), page.approvals, output.paint));
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
    output.info(
      `\n${formatCommands([["paraph approve APPROVAL", "review, then approve or deny"]], output.paintInfo)}`,
    );
    if (page.next !== undefined)
      output.info(output.paintInfo("dim", "  There are older approvals. Raise `--limit` to see them."));
  }
  return exitCode.ok;
}

function buildColumns(now: number): TableColumn<ApprovalSummaryView>[] {
  return [
    { title: "APPROVAL", text: ({ approval }) => approval },
    { title: "FINGERPRINT", text: ({ fingerprint }) => fingerprint },
    { title: "CAPABILITY", text: ({ capability }) => capability },
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
