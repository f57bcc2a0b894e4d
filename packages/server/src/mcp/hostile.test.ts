import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { McpTestServer } from "./testing/server.ts";

const server = new McpTestServer();
beforeAll(() => server.start({ patienceMs: 1 }));
afterAll(() => server.stop());

const eras = ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];
const methods = [
  "initialize",
  "tools/list",
  "tools/call",
  "tasks/get",
  "subscriptions/none",
  "server/discover",
];
const odd = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.string(), fc.constant({}));

it("[TRUST 24] [P10] any message of any era: no 5xx, and nothing of ours is said about what went wrong", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...eras),
      fc.constantFrom(...methods),
      fc.oneof(
        odd,
        fc.record({ name: odd, arguments: odd, cursor: odd, taskId: odd, _meta: odd }, { requiredKeys: [] }),
      ),
      odd,
      async (era, method, params, id) => {
        const response = await server.post(JSON.stringify({ jsonrpc: "2.0", id, method, params }), {
          ...{ "mcp-protocol-version": era, "mcp-method": method, "mcp-session-id": "00000000-aaaa" },
        });
        expect(response.status).toBeLessThan(500);
        const text = await response.text();
        expect(text).not.toMatch(/node_modules|packages\/server|at async/);
      },
    ),
    { numRuns: 300 },
  );
  expect(server.problems).toEqual([]);
});
