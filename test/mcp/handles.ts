import type { Client } from "@modelcontextprotocol/client";
import { expect } from "vitest";
import type { TestParaph } from "../support/servers/test-paraph.ts";
import { type ClientColumn, canaries } from "./client-column.ts";
import { type Feature, readAnswerText, readPendingCall } from "./feature.ts";
import type { McpFixture } from "./fixture.ts";

/** The handles of another agent, or handles that never existed. */
interface Handles {
  readonly closed: string;
  readonly open: string;
  readonly approval: string;
  readonly session: string;
}

const unknownHandles: Omit<Handles, "approval"> = {
  closed: "call_01m7g0z8bg9cytrks2vaax0zf1",
  open: "call_01m7g0z8bg9cytrks2vaax0zf2",
  session: "0123456789abcdef01234567.00000000-0000-4000-8000-000000000000",
};

export const handleFeatures: readonly Feature[] = [
  {
    name: "[TRUST 9] every handle of another agent's is answered as one that never was, to the byte",
    run: async (column, ground) => {
      const theirs = await collectHandles(column, ground);
      const none = { ...unknownHandles, approval: theirs.approval.replace(/.{6}$/, "000000") };
      for (const ask of listRequests(column)) {
        const [answer, nothing] = await Promise.all(
          [theirs, none].map((each) => ask.with(each, ground.whole)),
        );
        expect(maskHandles(answer!, theirs), ask.name).toBe(maskHandles(nothing!, none));
      }
      // The other agent's call has not changed.
      const { body } = await ground.whole.request("bot", "GET", `/v1/calls/${theirs.open}`);
      expect(body.state).toBe("asking");
      await ground.approve(theirs.open);
    },
  },
];

async function collectHandles(column: ClientColumn, fixture: McpFixture): Promise<Handles> {
  const client: Client = await column.connect("office");
  const read = await client.callTool({ name: "countLetters", arguments: {} });
  expect(readAnswerText(read)).toBe("some");
  const waits = { name: "sendLetter", arguments: { to: `handles ${column.name}` } };
  const open = readPendingCall(await client.callTool(waits));
  const { id: approval } = await fixture.askedAbout(open);
  const { sessionId = unknownHandles.session } = client.transport as { readonly sessionId?: string };
  return {
    closed: (read._meta as Record<string, string>)["dev.paraph/call"]!,
    open,
    approval,
    session: sessionId,
  };
}

interface HandleRequest {
  readonly name: string;
  readonly with: (handles: Handles, paraph: TestParaph) => Promise<string>;
}

/**
 * Returns a request for every operation that takes a handle. An agent that does not own the handle sends each request.
 */
function listRequests(column: ClientColumn): HandleRequest[] {
  const own = ["wait_for_call", "read_receipt", "undo_call"].flatMap((name) =>
    (["open", "closed"] as const).map((which) => ({
      name: `${name} ${which}`,
      with: (given: Handles, paraph: TestParaph) =>
        postRequest(column, paraph, "tools/call", { name, arguments: { call: given[which] } }),
    })),
  );
  const tasks = ["tasks/get", "tasks/update", "tasks/cancel", "tasks/result"].map((method) => ({
    name: method,
    with: (given: Handles, paraph: TestParaph) => postRequest(column, paraph, method, { taskId: given.open }),
  }));
  // This request equals the other agent's pending request exactly. If Paraph joined the two, it would reveal the id of
  // the other agent's call.
  const same = { name: "office_send_letter", arguments: { to: `handles ${column.name}` } };
  const overHttp = ["calls/open", "calls/open/receipt", "approvals/approval"].map((path) => ({
    name: `GET /v1/${path}`,
    with: async ({ open, approval }: Handles, paraph: TestParaph) => {
      const named = path.replace("approvals/approval", `approvals/${approval}`).replace("/open", `/${open}`);
      const { status, body } = await paraph.request("other", "GET", `/v1/${named}`);
      expect(status).toBe(404);
      return JSON.stringify(body);
    },
  }));
  return [
    ...own,
    ...tasks,
    ...overHttp,
    {
      name: "requestState",
      with: ({ open }, whole) => postRequest(column, whole, "tools/call", { ...same, requestState: open }),
    },
    {
      name: "session id",
      with: ({ session }, whole) =>
        postRequest(column, whole, "tools/call", same, { "mcp-session-id": session }),
    },
    {
      name: "the page",
      with: async ({ approval }, whole) => {
        const headers = { authorization: `Bearer ${whole.key("other")}` };
        const page = await fetch(`${whole.url}/approvals/${approval}`, { headers, redirect: "manual" });
        return `${page.status} ${page.headers.get("location")} ${await page.text()}`;
      },
    },
  ];
}

/** Sends one raw request as the other agent. */
async function postRequest(
  { era, isModern }: ClientColumn,
  paraph: TestParaph,
  method: string,
  params: Record<string, unknown>,
  more: Record<string, string> = {},
): Promise<string> {
  const _meta = isModern && {
    "io.modelcontextprotocol/protocolVersion": era,
    "io.modelcontextprotocol/clientInfo": { name: canaries.client, version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const named = String(params.taskId ?? params.name);
  const response = await fetch(`${paraph.url}/mcp`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${paraph.key("other")}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": era,
      ...(isModern && { "mcp-method": method, "mcp-name": named }),
      ...more,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, ...(_meta && { _meta }) } }),
  });
  expect(response.status).toBeLessThan(500);
  return `${response.status} ${await response.text()}`;
}

/**
 * Masks the handle itself where the answer repeats it, and the ids of this request, of the new call and of its
 * approval.
 */
function maskHandles(answer: string, { open, closed, approval, session }: Handles): string {
  return [open, closed, approval, session]
    .reduce((text, handle) => text.replaceAll(handle, "…"), answer)
    .replaceAll(/(call|ask)_[0-9a-z]{26}/g, "$1")
    .replaceAll(/req_[0-9a-f-]{36}/g, "req");
}
