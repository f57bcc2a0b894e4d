import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { McpTestServer } from "./testing/server.ts";

const issuer = "https://login.example";
const server = new McpTestServer();
beforeAll(() => server.start({ issuer }));
afterAll(() => server.stop());

const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
const old = { "mcp-protocol-version": "2025-06-18" };

describe("authentication", () => {
  it("a request without a valid key gets 401 and the address of the metadata that names the issuer", async () => {
    for (const authorization of ["", "Bearer key-nobody", "Basic a2V5LWJvdA=="]) {
      const response = await server.post(list, { authorization, path: "/mcp/notes" });
      expect(response.status).toBe(401);
      expect(response.headers.get("www-authenticate")).toBe(
        `Bearer resource_metadata="${server.http.url}/.well-known/oauth-protected-resource/mcp/notes"`,
      );
    }
  });

  it("RFC 9728: the metadata names the resource and its issuer, without authentication", async () => {
    for (const path of ["/mcp", "/mcp/notes"]) {
      const response = await fetch(`${server.http.url}/.well-known/oauth-protected-resource${path}`);
      expect(await response.json()).toMatchObject({
        resource: `${server.http.url}${path}`,
        authorization_servers: [issuer],
      });
    }
  });

  it("[TRUST 22] a browser session does not authenticate, and a request from another origin is rejected", async () => {
    const cookie = await server.post(list, { authorization: "", cookie: "paraph_session=ana" });
    expect(cookie.status).toBe(401);
    expect((await server.post(list, { ...old, origin: "https://evil.example" })).status).toBe(403);
  });

  it("[TRUST 21] a key without the scope for calls is rejected with 403", async () => {
    server.service.narrow("key-bo", ["decide"]);
    expect((await server.post(list, { as: "bo", ...old })).status).toBe(403);
    server.service.narrow("key-bo", undefined);
  });

  it("[TRUST 33] a frozen person is rejected with `principal-frozen` until the thaw", async () => {
    const { store } = server.service;
    store.freeze("acme", { id: "freeze_1", kind: "principal", subject: "bo", by: "ana" });
    const response = await server.post(list, { as: "bo", ...old });
    expect([response.status, await response.text()]).toEqual([
      403,
      expect.stringContaining("principal-frozen"),
    ]);
    store.thaw("acme", "freeze_1");
    expect((await server.post(list, { as: "bo", ...old })).status).toBe(200);
  });

  it("a revoked key is rejected at its next request, because the server remembers no session", async () => {
    server.service.revoke("key-audit");
    expect((await server.post(list, { as: "audit", ...old })).status).toBe(401);
  });
});

describe("[TRUST 24] a request", () => {
  it("is rejected if it is too large, too deep, not JSON, or of another content type", async () => {
    const large = { ...list, params: { text: "x".repeat(1024 * 1024) } };
    expect((await server.post(large, old)).status).toBe(413);
    const deep = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":${"[".repeat(70)}${"]".repeat(70)}}`;
    expect((await server.post(deep, old)).status).toBe(400);
    expect((await server.post("{", old)).status).toBe(400);
    expect((await server.post(list, { ...old, "content-type": "text/plain" })).status).toBe(415);
  });

  it("is rejected with 405 if it opens a stream or ends a session of an older protocol version", async () => {
    for (const method of ["GET", "DELETE"]) {
      const headers = { authorization: "Bearer key-bot", accept: "text/event-stream" };
      expect((await fetch(`${server.http.url}/mcp`, { method, headers })).status).toBe(405);
    }
  });
});

describe("the endpoint of one adapter", () => {
  beforeAll(() => {
    server.facades.set("notes", {
      tools: [
        {
          capability: "notes.list",
          name: "listNotes",
          title: "Notes",
          description: "All of them",
          inputSchema: { type: "object", properties: { prefix: { type: "string" } } },
          annotations: { readOnlyHint: true },
        },
        {
          capability: "notes.burn",
          name: "wait_for_call",
          description: "A name that Paraph has too",
          inputSchema: { type: "object", properties: { text: { type: "string" } } },
        },
      ],
      resources: [{ capability: "notes.list", name: "notes", uri: "notes://all" }],
      prompts: [{ capability: "notes.list", name: "about" }],
    });
  });

  it("tools keep the names, titles, descriptions and annotations of their server", async () => {
    const client = await server.client({ path: "/mcp/notes" });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["listNotes", "paraph_wait_for_call", "wait_for_call"]);
    expect(tools[0]).toMatchObject({
      title: "Notes",
      description: "All of them",
      annotations: { readOnlyHint: true },
    });
    const answer = await client.callTool({ name: "listNotes", arguments: {} });
    expect(answer.structuredContent).toEqual({ notes: [] });
    await expect(client.callTool({ name: "notes_list", arguments: {} })).rejects.toThrow("no tool");
  });

  it("a pending call names `paraph_wait_for_call` if the server has its own tool `wait_for_call`", async () => {
    const client = await server.client({ path: "/mcp/notes", name: "taken" });
    const pending = await server.withShortWaits(() =>
      client.callTool({ name: "wait_for_call", arguments: { text: "x" } }),
    );
    const { call, next } = pending.structuredContent as Record<string, string>;
    expect(next).toContain("paraph_wait_for_call");
    await server.decide("deny");
    expect(await client.callTool({ name: "paraph_wait_for_call", arguments: { call: call! } })).toMatchObject(
      { isError: true },
    );
  });

  it("resources and prompts are listed, and an unknown prompt is rejected", async () => {
    const client = await server.client({ path: "/mcp/notes", name: "readings" });
    expect((await client.listResources()).resources).toMatchObject([{ uri: "notes://all", name: "notes" }]);
    expect((await client.listPrompts()).prompts).toMatchObject([{ name: "about" }]);
    await expect(client.getPrompt({ name: "nothing" })).rejects.toThrow("Nothing with this name");
  });

  it("resources and prompts are listed in pages, each of them once", async () => {
    const before = server.facades.get("notes")!;
    const numbered = Array.from({ length: 450 }, (_, each) => `${each}`);
    server.facades.set("notes", {
      ...before,
      resources: numbered.map((name) => ({ capability: "notes.list", name, uri: `notes://${name}` })),
      prompts: numbered.map((name) => ({ capability: "notes.list", name })),
    });
    const client = await server.client({ path: "/mcp/notes", name: "pages" });
    const first = await client.request({ method: "resources/list" });
    expect([first.resources.length, typeof first.nextCursor]).toEqual([200, "string"]);
    expect((await client.listResources()).resources.map(({ name }) => name).sort()).toEqual(numbered.sort());
    expect((await client.listPrompts()).prompts.map(({ name }) => name).sort()).toEqual(numbered.sort());
    server.facades.set("notes", before);
  });

  it("tools keep their names while their server is unavailable", async () => {
    const facade = server.facades.get("notes")!;
    server.facades.delete("notes");
    const { tools } = await (await server.client({ path: "/mcp/notes" })).listTools();
    expect(tools.map(({ name }) => name)).toContain("listNotes");
    server.facades.set("notes", facade);
  });

  it("an adapter without a facade offers its capabilities as tools, and an unknown adapter gives 404", async () => {
    const { tools } = await (await server.client({ path: "/mcp/billing" })).listTools();
    expect(tools.map(({ name }) => name)).toEqual(["billing_refund", "wait_for_call"]);
    expect((await server.post(list, { ...old, path: "/mcp/none" })).status).toBe(404);
  });
});

it("[TRUST 8] no stored call contains the caller's token", async () => {
  const client = await server.client();
  await client.callTool({ name: "notes_append", arguments: { text: "x" } });
  const kept = JSON.stringify(server.service.store.calls());
  expect(kept).toContain("notes.append");
  expect(kept).not.toContain("key-bot");
});

it("[P10] an unexpected error is returned without its message, and is reported to the operator", async () => {
  const original = server.service.ports.store.findDuplicate;
  Object.assign(server.service.ports.store, {
    findDuplicate: async () => {
      throw new Error("a secret of somebody's");
    },
  });
  const answer = await (await server.client()).callTool({ name: "notes_append", arguments: { text: "y" } });
  Object.assign(server.service.ports.store, { findDuplicate: original });
  expect(answer).toMatchObject({ isError: true });
  expect(JSON.stringify(answer)).not.toContain("secret");
  expect(server.problems).toHaveLength(1);
});
