// Tests duplicate delivery. Clients that lose their responses send the same request again under other ids, two to ten
// times.
import { setTimeout } from "node:timers/promises";
import { defineCapability } from "@paraph/core";
import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { z } from "zod";
import { TestParaph } from "../support/servers/test-paraph.ts";

const deliveries = Number(process.env.PARAPH_DELIVERIES ?? 1_000);
const atOnce = 40;

const posted: string[] = [];
let letGo: () => void = () => {};
let held = Promise.resolve();

/** A capability that posts a card after the test releases it. */
const post = defineCapability({
  name: "cards.post",
  version: 1,
  summary: "Post a card",
  effect: "write",
  risk: "low",
  idempotency: "none",
  // The attempt waits until the test has the answers of all requests, however long a busy machine takes.
  timeout: "5m",
  input: z.object({ to: z.string() }),
  output: z.object({ posted: z.string() }),
  apply: async ({ to }) => {
    await held;
    posted.push(to);
    return { posted: to };
  },
});

const paraph = await TestParaph.start(
  {
    capabilities: [post],
    rules: [{ capability: "cards.post", allow: "unattended" }],
    // No request is refused because many are sent in one minute, or because many wait on a busy machine.
    budgets: { callsPerMinute: 1_000_000, concurrentPreviews: 64, waitingPerTenant: 1_000_000 },
  },
  [
    { tenant: "acme", id: "owner", kind: "person" },
    { tenant: "acme", id: "bot", kind: "agent", owner: "owner" },
  ],
  {},
  undefined,
  { mcpMaxWaitMs: 500 },
);
afterAll(() => paraph.stop());

const plans = fc.array(fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 2, maxLength: 9 }), {
  minLength: atOnce,
  maxLength: atOnce,
});

it(`[P1] [TRUST 19] ${deliveries} deliveries of calls, each sent up to ten times: each is done once, and its answer is there in the end`, {
  timeout: 300_000,
}, async () => {
  let [sent, turn] = [0, 0];
  for (; sent < deliveries; turn += 1) {
    const [cards] = fc.sample(plans, { numRuns: 1, seed: turn });
    const names = cards!.map((_, n) => `card ${turn}.${n}`);
    held = new Promise((resolve) => {
      letGo = resolve;
    });
    // The aborted requests end long before the last request receives `pending`.
    const given = cards!.flatMap((hangUps, n) => [
      ...hangUps.map((afterMs) => delivered(names[n]!, AbortSignal.timeout(afterMs + 1))),
      setTimeout(hangUps[0]!).then(() => delivered(names[n]!)),
    ]);
    const answers = await Promise.all(given);
    expect(answers.filter((answer) => answer !== "hung up" && answer.status !== "pending")).toEqual([]);
    letGo();
    const last = await Promise.all(names.map((name) => deliverUntilDone(name)));
    expect(last).toEqual(names.map((name) => expect.objectContaining({ posted: name })));
    sent += given.length + names.length;
  }
  expect(new Set(posted).size).toBe(turn * atOnce);
  expect(posted.length).toBe(turn * atOnce);
});

/** Repeats the request while its call is pending. A call may need longer than the server lets a request wait. */
async function deliverUntilDone(to: string): Promise<Record<string, unknown> | "hung up"> {
  for (;;) {
    const answer = await delivered(to);
    if (answer === "hung up" || answer.status !== "pending") return answer;
  }
}

/** Sends a request as a current client repeats it after it lost its connection. */
async function delivered(to: string, signal?: AbortSignal): Promise<Record<string, unknown> | "hung up"> {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "forgetful", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const params = { name: "cards_post", arguments: { to }, _meta };
  let answer: { result?: { structuredContent: Record<string, unknown> } };
  try {
    const response = await fetch(new URL("/mcp", paraph.url), {
      method: "POST",
      headers: {
        authorization: `Bearer ${paraph.key("bot")}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "cards_post",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: crypto.randomUUID(), method: "tools/call", params }),
      ...(signal && { signal }),
    });
    answer = (await response.json()) as typeof answer;
  } catch (error) {
    if (signal?.aborted) return "hung up";
    // The server closes idle connections. On a busy machine a request may be sent on a connection that just closed.
    if (error instanceof TypeError) return delivered(to, signal);
    throw error;
  }
  // Any other answer, for example an error, is shown as it is by the test that compares it.
  return answer.result?.structuredContent ?? answer;
}
