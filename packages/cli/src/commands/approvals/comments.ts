import { escapeInvisibleLines } from "@paraph/core/escape-invisible";
import type { MessageView } from "../../lib/api/api-views.ts";
import { type ApiClient, createApiClient } from "../../lib/api/client.ts";
import { resolveConnection } from "../../lib/api/connection.ts";
import { resolveCallId } from "../../lib/calls/resolve-id.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { formatTimestamp } from "../../lib/terminal/format-time.ts";

export interface CommentsOptions {
  readonly add?: string;
  readonly ask?: string;
  readonly answer?: string;
}

/**
 * Posts a comment if the options contain one, then shows the comments on the call. An answer is posted as the agent,
 * and any other comment as a person.
 */
export async function showComments(
  context: Context,
  named: string,
  options: CommentsOptions,
): Promise<ExitCode> {
  const speaker = options.answer === undefined ? "person" : "agent";
  const client = createApiClient(await resolveConnection(context, speaker), context.signal);
  const path = `/v1/calls/${encodeURIComponent(await resolveCallId(client, named))}/messages`;
  await postComments(client, path, options);
  const page = await client.request<{ messages: MessageView[] }>(`${path}?limit=100`);
  if (context.json) context.output.json(page);
  else if (page.messages.length === 0) context.output.info("There are no comments yet.");
  else context.output.data(page.messages.map(formatComment).join("\n"));
  return exitCode.ok;
}

async function postComments(
  client: ApiClient,
  path: string,
  { add, ask, answer }: CommentsOptions,
): Promise<void> {
  const messages = { comment: add, question: ask, answer };
  for (const [kind, text] of Object.entries(messages))
    if (text !== undefined) await client.request(path, { method: "POST", body: { kind, text } });
}

function formatComment({ by, kind, at, text }: MessageView): string {
  const lines = text === undefined ? ["(erased)"] : escapeInvisibleLines(text);
  const head = `${escapeInvisibleLines(by).join(" ")}, ${kind}, ${formatTimestamp(Date.parse(at))}`;
  return [head, ...lines.map((line) => `  ${line}`)].join("\n");
}
