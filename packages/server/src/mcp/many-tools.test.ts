import { defineCapability } from "@paraph/core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { McpTestServer } from "./testing/server.ts";

const server = new McpTestServer();
beforeAll(async () => {
  await server.start();
  for (let adapter = 0; adapter < 20; adapter += 1)
    server.service.ports.catalog.replace(
      `many${adapter}`,
      Array.from({ length: 50 }, (_, verb) =>
        defineCapability({
          name: `many${adapter}.verb_${verb}`,
          version: 1,
          summary: `Does number ${verb} of ${adapter}`,
          effect: "read",
          idempotency: "natural",
          input: z.object({ text: z.string() }),
          output: z.object({ text: z.string() }),
          apply: async ({ text }) => ({ text }),
        }),
      ),
    );
});
afterAll(() => server.stop());

it("the server lists 1,000 tools in pages, each tool once, and `find_capabilities` finds one by words", async () => {
  const client = await server.client();
  const names: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.request({
      method: "tools/list",
      params: cursor === undefined ? {} : { cursor },
    });
    names.push(...page.tools.map(({ name }) => name));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  expect(names.filter((name) => name.startsWith("many"))).toHaveLength(1_000);
  expect(new Set(names).size).toBe(names.length);
  const found = await client.callTool({
    name: "find_capabilities",
    arguments: { query: "many7 verb 33", limit: 1 },
  });
  expect(found.structuredContent).toMatchObject({ found: [{ tool: "many7_verb_33" }] });
});
