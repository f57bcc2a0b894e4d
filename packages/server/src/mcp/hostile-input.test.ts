import fc from "fast-check";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { McpTestServer } from "./testing/server.ts";

/** The number of runs per method. The laboratory sets a higher number. */
const numRuns = Number(process.env.PARAPH_HOSTILE ?? 200);

const server = new McpTestServer();
let open = "";
beforeAll(async () => {
  await server.start({ patienceMs: 1 });
  server.facades.set("notes", {
    tools: [{ capability: "notes.list", name: "list", description: "", inputSchema: { type: "object" } }],
    resources: [{ capability: "notes.list", name: "all", uri: "notes://all" }],
    resourceTemplates: [{ capability: "notes.burn", name: "one", uriTemplate: "notes://{one}" }],
    prompts: [{ capability: "notes.burn", name: "burn", arguments: [{ name: "text" }] }],
  });
  const client = await server.client();
  const asked = await client.callTool({ name: "billing_refund", arguments: { payment: "p", cents: 1 } });
  open = (asked.structuredContent as { call: string }).call;
});
afterAll(() => server.stop());

const eras = ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] as const;

/** Every parameter that a method accepts, with some valid values. */
const methods: Record<string, Record<string, readonly unknown[]>> = {
  initialize: { protocolVersion: eras, capabilities: [{}, { elicitation: { url: {} } }], clientInfo: [{}] },
  "server/discover": {},
  "notifications/initialized": {},
  "notifications/cancelled": { requestId: [1, "1"], reason: ["no more"] },
  ping: {},
  "tools/list": { cursor: ["", "bm90ZXNfbGlzdA"] },
  "tools/call": {
    name: [
      "notes_list",
      "notes_append",
      "billing_refund",
      "list",
      "find_capabilities",
      "preview_call",
    ].concat(["make_plan", "wait_for_call", "read_receipt", "undo_call", "constructor"]),
    arguments: [
      ...[{}, { text: "x" }, { payment: "p", cents: 2 }, { query: "refund" }],
      ...[{ call: "call_none" }, { tool: "notes_list", arguments: {} }, { steps: [{ id: "a" }] }],
    ],
    requestState: ["call_none"],
    inputResponses: [{ page: { action: "accept" } }],
    task: [{ ttl: 1 }],
  },
  "resources/list": { cursor: ["bm90ZXM"] },
  "resources/templates/list": { cursor: ["bm90ZXM"] },
  "resources/read": { uri: ["notes://all", "notes://1", "file:///etc/passwd"], requestState: ["call_none"] },
  "prompts/list": { cursor: ["bm90ZXM"] },
  "prompts/get": { name: ["burn", "none"], arguments: [{ text: "x" }, { text: 1 }] },
  "tasks/get": { taskId: ["call_none"] },
  "tasks/update": { taskId: ["call_none"], inputResponses: [{}] },
  "tasks/cancel": { taskId: ["call_none"] },
  "subscriptions/listen": { notifications: [{ toolsListChanged: true }] },
};

/** Methods that Paraph does not serve, whether or not a protocol version defines them. */
const unserved = [
  ...["notifications/progress", "resources/subscribe", "logging/setLevel", "completion/complete", "no/such"],
  ...["tasks/result", "tasks/list", "elicitation/create", "sampling/createMessage", "roots/list"],
];
const rows = [
  ...Object.entries(methods).map(([method, known]) => [method, [method], known] as const),
  ["what is not served", unserved, { uri: ["notes://all"], level: ["debug"], ref: [{}] }] as const,
];

const hostile = fc.oneof(
  fc.jsonValue({ maxDepth: 4 }),
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.constantFrom("__proto__", "constructor", "\u0000", "\ud800", "../../etc/passwd", "x".repeat(20_000)),
  fc.constantFrom(-0, 1e308, 2 ** 53, Number.MIN_VALUE, -1),
  fc.constantFrom(
    JSON.parse(`${"[".repeat(40)}${"]".repeat(40)}`),
    JSON.parse('{"__proto__":{"admin":true}}'),
  ),
);

/** Generates a valid value, an open call of another principal, or any value. */
const value = (known: readonly unknown[]) =>
  fc.oneof(
    fc.constantFrom(...known),
    fc.constant(null).map(() => open),
    hostile,
  );

function createParams(known: Record<string, readonly unknown[]>) {
  const fields = Object.fromEntries(Object.entries(known).map(([name, values]) => [name, value(values)]));
  return fc.oneof(
    { weight: 4, arbitrary: fc.record(fields, { requiredKeys: [] }) },
    { weight: 1, arbitrary: hostile },
  );
}

/** Generates the metadata that 2026-07-28 demands with every request, sometimes with invalid values. */
const envelope = fc.record(
  {
    "io.modelcontextprotocol/protocolVersion": fc.oneof(
      { weight: 4, arbitrary: fc.constant(eras[3]) },
      hostile,
    ),
    "io.modelcontextprotocol/clientInfo": fc.oneof(fc.constant({ name: "odd", version: "1" }), hostile),
    "io.modelcontextprotocol/clientCapabilities": fc.oneof(
      fc.constantFrom(
        {},
        { elicitation: { url: {} } },
        { extensions: { "io.modelcontextprotocol/tasks": {} } },
      ),
      hostile,
    ),
    progressToken: hostile,
    traceparent: hostile,
  },
  { requiredKeys: ["io.modelcontextprotocol/protocolVersion"] },
);

it.each(rows)(
  "[TRUST 24] [P10] %s is answered for any version and parameters, without a 5xx status or internal details",
  async (_, named, known) => {
    await fc.assert(
      fc.asyncProperty(
        ...[fc.constantFrom(...named), fc.constantFrom(...eras), fc.constantFrom("/mcp", "/mcp/notes")],
        createParams(known),
        ...[envelope, fc.oneof({ weight: 4, arbitrary: fc.nat() }, hostile)],
        async (method, era, path, params, _meta, id) => {
          const isObject = typeof params === "object" && params !== null && !Array.isArray(params);
          const given = isObject && era === eras[3] ? { ...params, _meta } : params;
          await expectAnswered({ jsonrpc: "2.0", id, method, params: given }, era, path);
        },
      ),
      { numRuns },
    );
    expect(server.problems).toEqual([]);
  },
  Math.max(180_000, numRuns * 100),
);

it("[TRUST 24] an invalid message or a batch is answered too, without a 5xx status or internal details", async () => {
  const message = fc.record(
    { jsonrpc: hostile, id: hostile, method: hostile, params: hostile, result: hostile, error: hostile },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...eras),
      fc.oneof(message, hostile, fc.array(message, { maxLength: 5 })),
      (era, body) => expectAnswered(body, era, "/mcp"),
    ),
    { numRuns },
  );
  expect(server.problems).toEqual([]);
});

async function expectAnswered(body: unknown, era: string, path: string): Promise<void> {
  const { method, params } = (body ?? {}) as { readonly method?: unknown; readonly params?: unknown };
  const { name, uri, taskId } = (params ?? {}) as Record<string, unknown>;
  const hanging = new AbortController();
  const silence = setTimeout(() => hanging.abort(new Error("no answer in 2 min")), 120_000);
  const response = await server.post(
    JSON.stringify(body) ?? "",
    {
      path,
      "mcp-protocol-version": era,
      "mcp-session-id": "00000000-aaaa",
      ...(era === eras[3] && { "mcp-method": header(method), "mcp-name": header(name ?? uri ?? taskId) }),
    },
    hanging.signal,
  );
  expect(response.status).toBeLessThan(500);
  // A listening request does not end by itself.
  if (method === "subscriptions/listen" && response.ok) await response.body?.cancel();
  else expect(await response.text()).not.toMatch(/node_modules|packages\/server|at async/);
  clearTimeout(silence);
}

/** Returns a header value. As MCP defines, text that contains anything but visible characters is encoded. */
function header(text: unknown): string {
  const plain = typeof text === "string" ? text.slice(0, 1_000) : "none";
  return /^[\x21-\x7e]+$/.test(plain) ? plain : `=?base64?${Buffer.from(plain).toString("base64")}?=`;
}

it("[TRUST 24] an id with a zero byte is unknown like any other, and PostgreSQL is not asked for it", async () => {
  const load = vi.spyOn(server.service.store, "load");
  const client = await server.client();
  for (const name of ["wait_for_call", "read_receipt", "undo_call"]) {
    const answer = (call: string) => client.callTool({ name, arguments: { call } });
    expect(await answer("call_\0")).toEqual(await answer("call_none"));
  }
  expect(load.mock.calls.map(([{ call }]) => call)).toEqual(Array(3).fill("call_none"));
});
