import { escapeInvisible } from "@paraph/core/escape-invisible";
import { clientFor } from "../client.ts";
import { connection } from "../connection.ts";
import type { Context } from "../context.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { commands } from "../render/commands.ts";
import { type Column, table } from "../table.ts";
import { until } from "../times.ts";
import type { ApprovalSummaryView, BundleView } from "../views.ts";

/** What waits for a person. */
export async function approvals(context: Context, options: { limit: number }): Promise<ExitCode> {
  const { output } = context;
  const server = await connection(context, "person");
  const client = clientFor(server, context.signal);
  const page = await client.ask<{ approvals: ApprovalSummaryView[]; bundles?: BundleView[]; next?: string }>(
    `/v1/approvals?status=open&limit=${options.limit}`,
  );
  if (context.json) output.json(page);
  else if (page.approvals.length + (page.bundles?.length ?? 0) === 0)
    output.say("Nothing waits for a person.");
  else {
    if (page.approvals.length > 0) output.data(table(columns(Date.now()), page.approvals, output.paint));
    for (const { principal, capability, count, items } of page.bundles ?? []) {
      const together = new URL(
        `/approvals/bundle?${new URLSearchParams({ principal, capability })}`,
        server.url,
      );
      output.data(
        `${escapeInvisible(principal)} asks ${count} times for ${escapeInvisible(capability)}, the newest is ${items[0]?.approval ?? "gone"}`,
      );
      output.say(output.paintTalk("dim", `  decide about them together: ${together}`));
    }
    output.say(`\n${commands([["paraph approve ID", "look, then say yes or no"]], output.paintTalk)}`);
    if (page.next !== undefined)
      output.say(output.paintTalk("dim", "  There are older ones: raise `--limit`."));
  }
  return exitCode.ok;
}

function columns(now: number): Column<ApprovalSummaryView>[] {
  return [
    { title: "ID", text: ({ approval }) => approval },
    { title: "FINGERPRINT", text: ({ fingerprint }) => fingerprint.replaceAll(" ", "") },
    { title: "WHAT", text: ({ capability }) => capability },
    { title: "WHO ASKS", text: ({ principal }) => principal, flexible: true },
    { title: "EXPIRES", text: ({ expiresAt }) => until(Date.parse(expiresAt), now), style: () => "yellow" },
    { title: "WHY", text: ({ guards }) => guards.map(({ sentence }) => sentence).join(" "), flexible: true },
  ];
}
