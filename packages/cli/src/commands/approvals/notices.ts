import type { NoticeView } from "../../lib/api/api-views.ts";
import { createApiClient } from "../../lib/api/client.ts";
import { resolveConnection } from "../../lib/api/connection.ts";
import { resolveCallId } from "../../lib/calls/resolve-id.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { formatTimestamp } from "../../lib/terminal/format-time.ts";
import { formatTable, type TableColumn } from "../../lib/terminal/table.ts";

/** Shows whom Paraph told about a call, by which channel, and when they opened it. */
export async function showNotices(context: Context, named: string): Promise<ExitCode> {
  const { output } = context;
  const client = createApiClient(await resolveConnection(context, "person"), context.signal);
  const call = await resolveCallId(client, named);
  const page = await client.request<{ notices: NoticeView[] }>(
    `/v1/calls/${encodeURIComponent(call)}/notices`,
  );
  if (context.json) output.json(page);
  else if (page.notices.length === 0) output.info("Paraph has told no one about this call.");
  else output.data(formatTable(columns, page.notices, output.paint));
  return exitCode.ok;
}

const columns: readonly TableColumn<NoticeView>[] = [
  { title: "PERSON", text: ({ recipient }) => recipient },
  { title: "NOTICE", text: ({ kind }) => kind },
  { title: "CHANNEL", text: ({ channel }) => channel },
  {
    title: "STATE",
    text: describeState,
    style: ({ state }) => (state === "given-up" ? "red" : state === "sent" ? undefined : "dim"),
    flexible: true,
  },
  { title: "SENT", text: ({ sentAt }) => formatTime(sentAt) },
  { title: "OPENED", text: ({ openedAt }) => formatTime(openedAt) },
];

const stateTexts: Readonly<Record<NoticeView["state"], string>> = {
  waiting: "waiting",
  sent: "sent",
  coalesced: "in a summary",
  dropped: "not needed",
  "given-up": "given up",
};

function describeState({ state, code }: NoticeView): string {
  return code === undefined || state === "sent" ? stateTexts[state] : `${stateTexts[state]} (${code})`;
}

function formatTime(at: string | undefined): string {
  return at === undefined ? "" : formatTimestamp(Date.parse(at));
}
