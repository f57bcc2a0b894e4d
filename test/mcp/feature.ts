import type { CallToolResult, Client, RequestOptions } from "@modelcontextprotocol/client";
import type { ClientColumn, Era } from "./client-column.ts";
import type { McpFixture } from "./fixture.ts";

/** A row of the matrix. For each era that has the feature, clients test it over HTTP and over stdio. */
export interface Feature {
  readonly name: string;
  /** The eras whose clients have the feature. The default is all. */
  readonly eras?: readonly Era[];
  readonly run: (column: ClientColumn, fixture: McpFixture) => Promise<void>;
}

export const modernEras: readonly Era[] = ["2026-07-28"];

/** Calls a tool and requests its result while the call is pending, as agents do. */
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

/** Returns all text that a model reads in an answer. */
export function readAnswerText({ content }: CallToolResult): string {
  return content.map((each) => (each.type === "text" ? each.text : each.type)).join("\n");
}

/** Returns the id of the pending call in an answer. */
export function readPendingCall(answer: CallToolResult): string {
  if (!isPending(answer)) throw new Error(`this is not pending: ${readAnswerText(answer)}`);
  return (answer.structuredContent as { readonly call: string }).call;
}

/** Repeats `ask` until it succeeds. It stops after a limit, because an aborted test keeps running. */
export async function pollUntil<T>(ask: () => Promise<T | undefined | false>): Promise<T> {
  const end = performance.now() + 120_000;
  while (performance.now() < end) {
    const answer = await ask();
    if (answer) return answer;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error("it did not come to this in two minutes");
}
