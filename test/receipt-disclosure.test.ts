import type { ReceiptBundle } from "@paraph/core";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { CallView } from "../packages/server/src/http/schemas/call.ts";
import { testPeople } from "../packages/server/src/http/testing/service.ts";
import { McpTestServer } from "../packages/server/src/mcp/testing/server.ts";

const server = new McpTestServer();
beforeAll(() => server.start());
afterAll(() => server.stop());

const secret = "pay_secret_5";
const request = (as: string, path: string, body?: object) =>
  fetch(`${server.http.url}${path}`, {
    method: body ? "POST" : "GET",
    headers: { authorization: `Bearer key-${as}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });

/** Requests and denies a refund whose payment is a sensitive field. */
async function refund(): Promise<string> {
  const input = { payment: secret, cents: 1250 };
  const response = await request("bot", "/v1/calls", { capability: "billing.refund", input });
  const made = (await response.json()) as CallView;
  const { id, digest } = made.waiting!.approval!;
  await request("bo", `/v1/approvals/${id}/decision`, { decision: "deny", digest });
  return made.call;
}

it("[TRUST 16] the service, the API, the page and MCP disclose only payloads that the reader may see in full", async () => {
  const call = await refund();
  const reader = (id: string) => testPeople[`key-${id}`]!;
  const disclosed = (receipt: ReceiptBundle | undefined) => JSON.stringify(receipt?.disclosures);
  const fromService = async (id: string) => disclosed(await server.service.findReceipt(reader(id), call));
  const fromApi = async (id: string) =>
    disclosed((await (await request(id, `/v1/calls/${call}/receipt`)).json()) as ReceiptBundle);
  for (const read of [fromService, fromApi]) {
    expect(await read("bot")).toContain(secret);
    expect(await read("bo")).toMatch(/^\{.*\}$/);
    expect(await read("bo")).not.toContain(secret);
  }
  const page = await fetch(`${server.http.url}/calls/${call}/receipt`, {
    headers: { cookie: "__Host-paraph=bo" },
  });
  const html = await page.text();
  expect(html).toContain("The signature is valid.");
  expect(html).not.toContain(secret);
  const readByTool = async (as: string) =>
    (await server.client({ as })).callTool({ name: "read_receipt", arguments: { call } });
  expect(JSON.stringify(await readByTool("bot"))).toContain(secret);
  expect(await readByTool("bo")).toMatchObject({ isError: true });
});
