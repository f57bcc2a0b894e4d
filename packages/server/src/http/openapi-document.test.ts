import { afterAll, beforeAll, expect, it } from "vitest";
import { readBody } from "../../../../test/support/web/read-body.ts";
import { html, renderProse } from "./docs/html.ts";
import { createOpenApiDocument } from "./openapi-document.ts";
import { roundSchema } from "./schemas/approval.ts";
import { callSchema } from "./schemas/call.ts";
import { openCallExample, openRoundExample } from "./schemas/examples.ts";
import { TestServer } from "./testing/server.ts";

const server = new TestServer();
beforeAll(() => server.start());
afterAll(() => server.stop());

const document = createOpenApiDocument();
const operations = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
  (["get", "post"] as const).flatMap((method) =>
    item[method] ? [{ path, method, operation: item[method] }] : [],
  ),
);

it("the document is OpenAPI 3.1 and is served unchanged", async () => {
  expect(document.openapi).toBe("3.1.0");
  expect((await server.get("/openapi.json")).body).toEqual(JSON.parse(JSON.stringify(document)));
});

it("every operation has an id, a summary, a tag and its possible problems", () => {
  const ids = operations.map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { path, operation } of operations) {
    expect([path, operation.summary, operation.tags]).toEqual([
      path,
      expect.any(String),
      [expect.any(String)],
    ]);
    expect(Object.keys(operation.responses ?? {})).toContain("500");
    const isPublic = !path.startsWith("/v1") || path === "/v1/keys";
    expect([path, operation.security]).toEqual([
      path,
      isPublic ? undefined : expect.arrayContaining([{ key: expect.any(Array) }]),
    ]);
    expect("401" in (operation.responses ?? {})).toBe(!isPublic);
  }
});

it("every operation of the document is served, and every served route is in the document", async () => {
  for (const { path, method } of operations) {
    const response = await server.fetch(path.replaceAll(/[{}]/g, ""), {
      as: "bo",
      method,
      ...(method === "post" && { headers: { "content-type": "application/json" }, body: "{}" }),
    });
    const text = await readBody(response);
    expect([path, response.status === 405 || text.includes('"not-found"')]).toEqual([path, false]);
  }
  await server.get("/v1/calls", "bot");
  const served = new Set(server.lines.map(({ route }) => route?.replaceAll(/:(\w+)/g, "{$1}")));
  expect([...served].filter((route) => route !== "/openapi.json").toSorted()).toEqual(
    [...new Set(operations.map(({ path }) => path))].toSorted(),
  );
});

it("the document's schemas of calls and rounds match the responses and the examples", async () => {
  const { body: call } = await server.post("/v1/calls", "bot", {
    capability: "billing.refund",
    input: { payment: "pay_1", cents: 1 },
    purpose: "so",
  });
  const { body: approval } = await server.get(`/v1/approvals/${call.approval.id}`, "bo");
  const { id, digest } = call.waiting.approval;
  await server.post(`/v1/approvals/${id}/decision`, "bo", { decision: "approve", digest });
  const { body: closed } = await server.get(`/v1/calls/${call.call}`, "bo", { prefer: "wait=60" });
  for (const view of [call, closed, openCallExample]) expect(callSchema.strict().parse(view)).toEqual(view);
  for (const view of [approval, openRoundExample]) expect(roundSchema.strict().parse(view)).toEqual(view);
});

it("[TRUST 22] the page has no script, no inline style and no external resource", async () => {
  const { status, headers, body } = await server.get("/docs");
  expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  expect(headers.get("content-security-policy")).toMatch(/^default-src 'none'; style-src 'self';/);
  expect(body).not.toMatch(/<script|<style|\sstyle=|\son\w+=|(src|href)="(https?:)?\/\//i);
  const links = [...body.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
  for (const id of links) expect([id, body.includes(`id="${id}"`)]).toEqual([id, true]);
  for (const { operation } of operations) expect(body).toContain(`id="${operation.operationId}"`);
  expect((await server.get("/docs.css")).headers.get("content-type")).toBe("text/css; charset=utf-8");
});

it("the page escapes the values that are inserted into it", () => {
  const bad = `<img src=x onerror="alert('1')">&`;
  const escaped = "&#60;img src=x onerror=&#34;alert(&#39;1&#39;)&#34;&#62;&#38;";
  expect(html`<p title="${bad}">${[bad]}</p>`.text).toBe(`<p title="${escaped}">${escaped}</p>`);
  expect(renderProse(`a \`${bad}\``).text).toBe(`a <code>${escaped}</code>`);
});
