import { afterAll, beforeAll, expect, it } from "vitest";
import { listProblemCodes } from "./docs/errors-page.ts";
import { listOperations } from "./docs/render-operation.ts";
import { createOpenApiDocument } from "./openapi-document.ts";
import { getProblemType, problemCodes, toProblemUrl } from "./problem-types.ts";
import { TestServer } from "./testing/server.ts";

const server = new TestServer();
beforeAll(() => server.start());
afterAll(() => server.stop());

const operations = listOperations(createOpenApiDocument());
const toPlainText = (page: string) =>
  page.replaceAll(/<\/?(?:code|a)[^>]*>/g, "").replaceAll(/&#(\d+);/g, (_, n) => String.fromCharCode(n));

it("every problem code has a page with its title, status, cause and remedy, without authentication", async () => {
  for (const code of problemCodes) {
    const { status, headers, body } = await server.get(new URL(toProblemUrl(code)).pathname);
    expect([code, status, headers.get("content-type")]).toEqual([code, 200, "text/html; charset=utf-8"]);
    const type = getProblemType(code);
    const text = toPlainText(body);
    for (const said of [code, String(type.status), type.title, type.cause, type.remedy])
      expect([code, text]).toEqual([code, expect.stringContaining(said.replaceAll("`", ""))]);
  }
});

it("the `type` of a problem is the address of a page that the same server serves", async () => {
  const problems = [
    await server.get("/v1/calls/call_none", "bot"),
    await server.get("/v1/calls"),
    await server.get("/nothing"),
    await server.post("/v1/calls", "bot", { capability: "notes.missing", input: {} }),
    await server.post("/v1/calls", "bot", "{"),
    await server.get("/v1/principals", "bot"),
  ];
  expect(new Set(problems.map(({ body }) => body.code)).size).toBe(problems.length);
  for (const { status, body } of problems) {
    expect([body.code, getProblemType(body.code).status]).toEqual([body.code, status]);
    const page = await server.get(new URL(body.type).pathname);
    expect([body.code, page.status]).toEqual([body.code, 200]);
    expect(page.body).toContain(`<code>${body.code}</code>`);
  }
});

it("a page lists the operations that return its code, and links to them", async () => {
  const reference = (await server.get("/docs")).body as string;
  for (const code of problemCodes) {
    const { body } = await server.get(`/docs/errors/${code}`);
    const links = [...body.matchAll(/href="\/docs#([^"]+)"/g)].map(([, id]) => id);
    const returning = operations.filter(({ spec }) => listProblemCodes(spec).includes(code));
    const isEvery = /<p>Every operation/.test(body);
    if (!isEvery) expect([code, links]).toEqual([code, returning.map(({ id }) => id)]);
    expect([code, returning.length > 0 || getProblemType(code).alsoFrom !== undefined]).toEqual([code, true]);
    for (const id of links) expect(reference).toContain(`id="${id}"`);
  }
});

it("the API reference links to the list of codes, which links to every page", async () => {
  expect((await server.get("/docs")).body).toContain('href="/docs/errors"');
  const { status, body } = await server.get("/docs/errors");
  expect(status).toBe(200);
  for (const code of problemCodes) expect(body).toContain(`href="/docs/errors/${code}"`);
});

it("an unknown code is a 404 problem", async () => {
  for (const code of ["nothing", "toString", "__proto__", "Call-Unknown"]) {
    const { status, headers, body } = await server.get(`/docs/errors/${code}`);
    expect([status, headers.get("content-type"), body.code]).toEqual([
      404,
      "application/problem+json",
      "not-found",
    ]);
    expect(body.detail).not.toContain(code);
  }
});

it("[TRUST 22] the pages have no script, no inline style and no external resource", async () => {
  for (const path of ["/docs/errors", "/docs/errors/call-unknown", "/docs/errors/internal"]) {
    const { headers, body } = await server.get(path);
    expect(headers.get("content-security-policy")).toMatch(/^default-src 'none'; style-src 'self';/);
    expect(headers.get("content-security-policy")).not.toContain("unsafe");
    expect(body).not.toMatch(/<script|<style|\sstyle=|\son\w+=|(src|href)="(https?:)?\/\//i);
  }
});

it("[P10] the log line of a page contains its route, not its path", async () => {
  await server.get("/docs/errors/secret-looking");
  expect(server.lines.at(-1)).toMatchObject({ route: "/docs/errors/:code", status: 404 });
});
