import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";
import { findFreePort } from "../../../dev-servers/src/ports.ts";
import { readFault } from "../testing.ts";
import { mcp } from "./index.ts";
import {
  createFolder,
  createMcpFixture,
  createMcpTestContext,
  findPublishedServer,
} from "./testing/fixture.ts";
import { startHostedServer, startTokenIssuer } from "./testing/hosted-server.ts";

const token = "$" + "{SRV_TOKEN}";
const secrets = { SRV_TOKEN: "very-secret-value", KEY: "another-secret" };

it("[TRUST 8] a 2026-07-28 server receives the configured credentials, and its echo of them is masked in the output", async () => {
  await using folder = await createFolder();
  await using server = await startHostedServer();
  const adapter = mcp.http(server.url, {
    credential: `Bearer ${token}`,
    headers: { "X-Api-Key": "$" + "{KEY}" },
  });
  await using fixture = await createMcpFixture(adapter, folder.path, secrets);
  const echo = await fixture.capability("echo");
  const output = await echo.apply({ text: "it is very-secret-value" }, createMcpTestContext());
  expect(output).toEqual({ content: [{ type: "text", text: "it is •••" }] });
  expect(server.seen.length).toBeGreaterThan(2);
  for (const headers of server.seen)
    expect(headers).toMatchObject({
      authorization: "Bearer very-secret-value",
      "x-api-key": "another-secret",
    });
  expect(server.seen.at(-1)).toMatchObject({
    "mcp-method": "tools/call",
    "mcp-protocol-version": "2026-07-28",
  });
});

it("[TRUST 8] Paraph fetches a client-credentials token only from the configured issuer, not from a server's issuer", async () => {
  await using folder = await createFolder();
  await using named = await startTokenIssuer();
  await using other = await startTokenIssuer();
  await using server = await startHostedServer();
  const clientSecret = token;
  const adapter = mcp.http(server.url, {
    oauth: { issuer: named.url, clientId: "paraph", clientSecret, scope: "tools" },
  });
  server.issuer = named.url;
  {
    await using fixture = await createMcpFixture(adapter, folder.path, secrets);
    const echo = await fixture.capability("echo");
    expect(await echo.apply({ text: "token-of-the-issuer" }, createMcpTestContext())).toEqual({
      content: [{ type: "text", text: "•••" }],
    });
  }
  expect(named.requests).toEqual([
    {
      authorization: `Basic ${Buffer.from("paraph:very-secret-value").toString("base64")}`,
      body: expect.stringContaining("grant_type=client_credentials"),
    },
  ]);
  server.issuer = other.url;
  expect(await readFault(createMcpFixture(adapter, folder.path, secrets))).toMatch(
    /^(permanent|not-performed) /,
  );
  expect(other.requests).toEqual([]);
});

it("a 2026-07-28 server announces a change, and its new tool is unavailable as `mcp-definition-new`", async () => {
  await using folder = await createFolder();
  await using server = await startHostedServer();
  await using fixture = await createMcpFixture(mcp.http(server.url), folder.path);
  await fixture.open.capabilities();
  const told = fixture.waitForChange();
  server.grow();
  await told;
  expect((await fixture.capability("more")).unavailable?.code).toBe("mcp-definition-new");
});

it("[P8] each write has its own connection, and reads share connections and are retried when one breaks", async () => {
  await using folder = await createFolder();
  await using server = await startHostedServer();
  const called = async (terms: object, times: number) => {
    await using fixture = await createMcpFixture(mcp.http(server.url, terms), folder.path);
    const echo = await fixture.capability("echo");
    const from = server.callers.length;
    for (let n = 0; n < times; n += 1) await echo.apply({ text: "x" }, createMcpTestContext());
    return server.callers.slice(from);
  };
  const reads = { tools: { echo: { effect: "read" } } };
  expect(new Set(await called({}, 8)).size).toBe(8);
  // The reads reuse open connections.
  expect(new Set(await called(reads, 8)).size).toBeLessThan(6);
  server.hangUp = "once";
  expect(new Set(await called(reads, 1)).size).toBe(2);
  server.hangUp = "once";
  expect(await readFault(called({}, 1))).toMatch(/^ambiguous /);
});

it("[P8] maps HTTP statuses and lost connections to permanent, not-performed and ambiguous faults", async () => {
  await using folder = await createFolder();
  await using server = await startHostedServer();
  await using fixture = await createMcpFixture(mcp.http(server.url), folder.path);
  const echo = await fixture.capability("echo");
  const answered = async (status: number) => {
    server.status = status;
    return readFault(echo.apply({ text: "a" }, createMcpTestContext()));
  };
  expect(await answered(401)).toBe("permanent mcp-unauthorized");
  expect(await answered(403)).toBe("permanent mcp-unauthorized");
  expect(await answered(429)).toBe("not-performed http-429");
  expect(await answered(503)).toBe("ambiguous http-503");
  expect(await answered(524)).toBe("ambiguous http-524");
  expect(await answered(502)).toBe("ambiguous http-502");
  expect(await answered(400)).toBe("permanent http-400");
  server.status = undefined;
  server.hangUp = true;
  expect(await readFault(echo.apply({ text: "a" }, createMcpTestContext()))).toBe(
    "ambiguous connection-lost",
  );
  server.hangUp = false;
  expect(await readFault(echo.apply({ text: "a" }, createMcpTestContext()))).toBe("no fault");
});

it("[TRUST 29] a 300 MB answer is aborted at the limit, as one message or a stream, and the next call succeeds", async () => {
  await using folder = await createFolder();
  await using server = await startHostedServer();
  await using fixture = await createMcpFixture(mcp.http(server.url), folder.path);
  const echo = await fixture.capability("echo");
  for (const type of ["application/json", "text/event-stream"] as const) {
    Object.assign(server, { flood: type, flooded: 0, brokenOff: false });
    expect(await readFault(echo.apply({ text: "a" }, createMcpTestContext())), type).toBe(
      "ambiguous mcp-answer-too-large",
    );
    await expect.poll(() => server.brokenOff, { interval: 10 }).toBe(true);
    // When the limit is reached, more data is already in the socket buffers.
    expect(server.flooded, type).toBeLessThan(60_000_000);
    server.flood = undefined;
    expect(await readFault(echo.apply({ text: "a" }, createMcpTestContext())), type).toBe("no fault");
  }
});

it("[TRUST 17] a redirect to another origin is not followed", async () => {
  await using folder = await createFolder();
  await using server = await startHostedServer();
  await using fixture = await createMcpFixture(mcp.http(server.url), folder.path);
  const echo = await fixture.capability("echo");
  server.status = 307;
  expect(await readFault(echo.apply({ text: "a" }, createMcpTestContext()))).toMatch(
    /^(permanent|ambiguous) /,
  );
});

it("[P8] an unreachable host has performed nothing; a password in a URL and a secret over plain http are refused", async () => {
  await using folder = await createFolder();
  await using server = await startHostedServer();
  await using fixture = await createMcpFixture(mcp.http(server.url), folder.path);
  const echo = await fixture.capability("echo");
  await server[Symbol.asyncDispose]();
  expect(await readFault(echo.apply({ text: "a" }, createMcpTestContext()))).toBe(
    "not-performed unreachable",
  );
  expect(await readFault(createMcpFixture(mcp.http(server.url), folder.path))).toBe(
    "not-performed unreachable",
  );
  await expect(createMcpFixture(mcp.http("https://me:word@example.com/mcp"), folder.path)).rejects.toThrow(
    "must not contain a user or a password",
  );
  const plain = mcp.http("http://example.com/mcp", { credential: token });
  await expect(createMcpFixture(plain, folder.path, secrets)).rejects.toThrow("only over https");
});

it("calls tools of a real legacy server over HTTP, and opens a new session after the server lost the old one", async () => {
  await using folder = await createFolder();
  const port = await findFreePort();
  await using first = await everythingOn(port);
  await using fixture = await createMcpFixture(mcp.http(`http://127.0.0.1:${port}/mcp`), folder.path);
  const echo = await fixture.capability("echo");
  expect(await echo.apply({ message: "hello" }, createMcpTestContext())).toMatchObject({
    content: [{ text: "Echo: hello" }],
  });
  await first[Symbol.asyncDispose]();
  await using _ = await everythingOn(port);
  const back = fixture.waitForChange();
  expect(await readFault(echo.apply({ message: "hello" }, createMcpTestContext()))).toBe(
    "not-performed mcp-session-lost",
  );
  await back;
  await fixture.open.capabilities();
  expect(await readFault(echo.apply({ message: "hello" }, createMcpTestContext()))).toBe("no fault");
});

async function everythingOn(port: number) {
  const child = spawn(process.execPath, [findPublishedServer("server-everything"), "streamableHttp"], {
    env: { PORT: String(port) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stdout.resume();
  for await (const line of createInterface({ input: child.stderr }))
    if (/listening|running/i.test(line)) break;
  child.stderr.resume();
  return {
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
    },
  };
}
