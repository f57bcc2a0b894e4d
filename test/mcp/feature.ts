import type { CallToolResult, Client, RequestOptions } from "@modelcontextprotocol/client";
import type { ClientColumn, Era } from "./client-column.ts";
import type { McpFixture } from "./fixture.ts";

/** A row of the matrix: tried by clients of every era that has it, over HTTP and over stdio. */
export interface Feature {
  readonly name: string;
  /** The eras whose clients have it; all unless given. */
  readonly eras?: readonly Era[];
  readonly run: (column: ClientColumn, ground: McpFixture) => Promise<void>;
}

export const modernEras: readonly Era[] = ["2026-07-28"];

/** Calls a tool, and comes back for its result for as long as it is pending, as agents do. */
export async function callUntilDone(
  client: Client,
  name: string,
  given: Record<string, unknown> = {},
  options: RequestOptions = {},
): Promise<CallToolResult> {
  let answer = await client.callTool({ name, arguments: given }, options);
  while (isPending(answer))
    answer = await client.callTool(
      { name: "wait_for_call", arguments: { call: readPendingCall(answer) } },
      options,
    );
  return answer;
}

function isPending({ structuredContent }: CallToolResult): boolean {
  return (structuredContent as { readonly status?: unknown } | undefined)?.status === "pending";
}

/** Everything a model reads of an answer. */
export function readAnswerText({ content }: CallToolResult): string {
  return content.map((each) => (each.type === "text" ? each.text : each.type)).join("\n");
}

/** The id of the call that a client was told to come back for. */
export function readPendingCall(answer: CallToolResult): string {
  if (!isPending(answer)) throw new Error(`this is not pending: ${readAnswerText(answer)}`);
  return (answer.structuredContent as { readonly call: string }).call;
}

/** Asks again until it holds; not for ever, since a test that was given up on goes on. */
export async function pollUntil<T>(ask: () => Promise<T | undefined | false>): Promise<T> {
  const end = performance.now() + 120_000;
  while (performance.now() < end) {
    const answer = await ask();
    if (answer) return answer;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error("it did not come to this in two minutes");
}
