import { afterAll, beforeAll, expect, it } from "vitest";
import { TestServer } from "./testing/server.ts";

const server = new TestServer();
beforeAll(() => server.start());
afterAll(() => server.stop());

interface Operation {
  readonly method: string;
  readonly path: string;
}

/** Returns every operation that needs authentication, with a value for each path parameter. */
async function operations(): Promise<readonly Operation[]> {
  const { body } = await server.get("/openapi.json");
  const { paths, security = [] } = body as {
    readonly paths: Record<string, Record<string, { readonly security?: readonly object[] }>>;
    readonly security?: readonly object[];
  };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => (operation.security ?? security).length > 0)
      .map(([method]) => ({ method: method.toUpperCase(), path: path.replace(/\{[^}]+\}/g, "x") })),
  );
}

const sent = async ({ method, path }: Operation, headers: Record<string, string>) => {
  const response = await server.fetch(path, {
    method,
    redirect: "manual",
    headers: { ...headers, ...(method !== "GET" && { "content-type": "application/json" }) },
    ...(method !== "GET" && method !== "HEAD" && { body: "{}" }),
  });
  const text = await response.text();
  return { status: response.status, text };
};

it("[TRUST 33] the server refuses every operation of a frozen person, by key, by session and by page", async () => {
  const all = await operations();
  expect(all.length).toBeGreaterThan(40);
  const { body } = await server.call("billing.refund", { payment: "pay_1", cents: 1 });
  const { id, digest } = body.waiting.approval as { id: string; digest: string };
  server.service.store.freeze("acme", { id: "freeze_1", kind: "principal", subject: "bo", by: "ana" });
  const key = { authorization: "Bearer key-bo" };
  const session = { cookie: "__Host-paraph=bo", origin: server.http.url };
  for (const proof of [key, session]) {
    const through: string[] = [];
    for (const operation of all) {
      const { status, text } = await sent(operation, proof);
      if (status !== 403 || !text.includes("principal-frozen"))
        through.push(`${operation.method} ${operation.path} ${status}`);
    }
    expect(through).toEqual([]);
  }
  const pages = ["", `/${id}`, `/${id}/edit`, "/unknown", "/bundle"].map((path) => `/approvals${path}`);
  for (const path of [...pages, `/calls/${body.call}`])
    expect([path, (await sent({ method: "GET", path }, session)).status]).toEqual([path, 403]);
  const decision = { digest, decision: "approve" };
  expect((await server.post(`/v1/approvals/${id}/decision`, "bo", decision)).body.code).toBe(
    "principal-frozen",
  );
  // Others are unaffected, and bo may act again after the thaw.
  expect((await server.get("/v1/me", "ana")).status).toBe(200);
  server.service.store.thaw("acme", "freeze_1");
  expect((await server.post(`/v1/approvals/${id}/decision`, "bo", decision)).status).toBe(200);
});
