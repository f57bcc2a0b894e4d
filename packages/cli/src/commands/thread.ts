import { escapeInvisibleLines } from "@paraph/core/escape-invisible";
import { type Client, clientFor } from "../client.ts";
import { connection } from "../connection.ts";
import type { Context } from "../context.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { callNamed } from "../last.ts";
import { moment } from "../times.ts";
import type { MessageView } from "../views.ts";

export interface ThreadOptions {
  readonly say?: string;
  readonly ask?: string;
  readonly answer?: string;
}

/** What was said about a call; with something to say, says it first. An answer is the agent's. */
export async function thread(context: Context, named: string, options: ThreadOptions): Promise<ExitCode> {
  const speaker = options.answer === undefined ? "person" : "agent";
  const client = clientFor(await connection(context, speaker), context.signal);
  const path = `/v1/calls/${encodeURIComponent(await callNamed(client, named))}/messages`;
  await say(client, path, options);
  const page = await client.ask<{ messages: MessageView[] }>(`${path}?limit=100`);
  if (context.json) context.output.json(page);
  else if (page.messages.length === 0) context.output.say("Nothing was said yet.");
  else context.output.data(page.messages.map(messageText).join("\n"));
  return exitCode.ok;
}

async function say(client: Client, path: string, { say, ask, answer }: ThreadOptions): Promise<void> {
  const said = { comment: say, question: ask, answer };
  for (const [kind, text] of Object.entries(said))
    if (text !== undefined) await client.ask(path, { method: "POST", body: { kind, text } });
}

function messageText({ by, kind, at, text }: MessageView): string {
  const lines = text === undefined ? ["(erased)"] : escapeInvisibleLines(text);
  const head = `${escapeInvisibleLines(by).join(" ")}, ${kind}, ${moment(Date.parse(at))}`;
  return [head, ...lines.map((line) => `  ${line}`)].join("\n");
}
