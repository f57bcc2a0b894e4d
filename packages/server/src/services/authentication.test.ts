// These tests use real sockets between a browser, this server, an OpenID provider and PostgreSQL.
import { roles } from "@paraph/core";
import { findFreePort } from "@paraph/dev-servers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase } from "../../../../test/support/servers/database.ts";
import { type BrowserPage, PlainBrowser } from "../../../../test/support/web/plain-browser.ts";
import { audience, consoleClient, TestIssuer } from "../../../../test/support/web/test-issuer.ts";
import { serveHttp } from "../http/index.ts";
import type { HttpServer } from "../http/serve.ts";
import { createTestService } from "../http/testing/service.ts";
import type { IdentityConfig } from "../identity/index.ts";
import { connectDatabase, createIdentityStore, generateApiKey, provision } from "../postgres/index.ts";
import { pages } from "../web/pages/index.ts";
import { type Authenticator, createAuthenticator } from "./authentication.ts";

const tenant = "acme";
const database = await createTestDatabase();
const db = await connectDatabase(database.url);
const people = createIdentityStore(db.app);
const port = await findFreePort();
const origin = `http://127.0.0.1:${port}`;
const issuer = await TestIssuer.start(`${origin}/login/callback`);

await provision(database.ownerUrl, async (p) => {
  await p.addTenant(tenant);
  await p.addPrincipal({ tenant, id: "ana", kind: "person", groups: [roles.admins] });
  await p.addPrincipal({ tenant, id: "bot", kind: "agent", owner: "ana" });
  await p.linkIdentity(tenant, issuer.url, "ana-at-work", "ana");
});

const oidc = {
  issuer: issuer.url,
  audience,
  tenant,
  groups: "groups",
  client: { id: consoleClient.id, secret: "console-secret" },
};
const lines: string[] = [];
/** Starts a server with the real authentication. The rest of the service is a test double. */
async function start(
  identity: IdentityConfig,
  at: number,
): Promise<{ http: HttpServer; callers: Authenticator }> {
  let url = "";
  const callers = await createAuthenticator({
    identity,
    database: db,
    credentials: { resolve: async (_, name) => (name === "console-secret" ? consoleClient.secret : "") },
    now: () => Date.now(),
    url: () => url,
  });
  const http = await serveHttp({
    service: { ...createTestService(), ...callers },
    pages,
    port: at,
    log: (line) => lines.push(JSON.stringify(line)),
  });
  url = http.url;
  return { http, callers };
}

let server: { http: HttpServer; callers: Authenticator };
beforeAll(async () => {
  server = await start({ oidc }, port);
});
afterAll(async () => {
  await server.http.stop();
  await issuer.stop();
  await db.close();
});

const me = async (browser: PlainBrowser) => {
  const response = await browser.fetch(`${origin}/v1/me`);
  return { status: response.status, body: await response.json() };
};

/** Logs in at the issuer as the subject, gives consent, and follows the redirect back. */
async function loginAs(browser: PlainBrowser, subject: string, to = "/login"): Promise<BrowserPage> {
  const login = await browser.open(`${origin}/login?to=${encodeURIComponent(to)}`);
  const start = /href="(\/login\/start\?[^"]+)"/.exec(login.text)?.[1]?.replaceAll("&#38;", "&");
  let page = await browser.open(origin + start);
  if (page.text.includes('value="login"'))
    page = await browser.submit(page, { login: subject, password: "x" });
  if (page.text.includes('value="consent"')) page = await browser.submit(page);
  return page;
}

/** Returns the callback URL with a valid code, before the browser opens it. */
async function wayBack(browser: PlainBrowser): Promise<string> {
  const response = await browser.fetch(`${origin}/login/start`);
  const login = await browser.open(response.headers.get("location")!);
  const consent = await browser.submit(login, { login: "ana-at-work", password: "x" });
  const submitted = await browser.fetch(
    new URL(/action="([^"]+)"/.exec(consent.text)![1]!, consent.url).href,
    {
      method: "POST",
      body: new URLSearchParams({ prompt: "consent" }),
    },
  );
  const resumed = await browser.fetch(new URL(submitted.headers.get("location")!, issuer.url).href);
  return resumed.headers.get("location")!;
}

describe("logging in with the issuer", () => {
  it("starts a session in a host-only cookie, and redirects to the page that the person requested", async () => {
    const browser = new PlainBrowser();
    issuer.profile = { groups: ["eng", roles.auditors] };
    const page = await loginAs(browser, "ana-at-work", "/healthz");
    expect([page.url, page.status]).toEqual([`${origin}/healthz`, 200]);
    const [, set] = /(__Host-paraph=.*)/.exec(
      browser.received.findLast((line) => line.startsWith("__Host-paraph="))!,
    )!;
    expect(set).toMatch(/^__Host-paraph=acme\.[\w-]{40}; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
    expect(browser.cookie(origin, "__Host-paraph-login"), "what the login needed").toBeUndefined();
    expect(await me(browser)).toMatchObject({
      status: 200,
      body: { tenant, id: "ana", kind: "person", how: "session", groups: ["eng", roles.admins] },
    });
    expect((await browser.open(`${origin}/login`)).text).toContain("<strong>ana</strong>");
  });

  it("creates a new session at each login, and ends the previous one", async () => {
    const browser = new PlainBrowser();
    await loginAs(browser, "ana-at-work");
    const before = browser.cookie(origin, "__Host-paraph")!;
    await browser.open(`${origin}/login/start`);
    const after = browser.cookie(origin, "__Host-paraph")!;
    expect(after).not.toBe(before);
    const thief = new PlainBrowser();
    thief.setCookie(origin, "__Host-paraph", before);
    expect([(await me(browser)).status, (await me(thief)).status]).toEqual([200, 401]);
  });

  it("refuses a person whose identity is not linked", async () => {
    const browser = new PlainBrowser();
    const page = await loginAs(browser, "stranger");
    expect([page.status, browser.cookie(origin, "__Host-paraph")]).toEqual([403, undefined]);
    expect(page.text).toContain("Ask an administrator");
    expect(await database.query("select from paraph.principal where id = 'stranger'")).toEqual([]);
  });

  it("[TRUST 22] succeeds only in the browser that started it, and only once", async () => {
    const victim = new PlainBrowser();
    const attacker = new PlainBrowser();
    const back = await wayBack(attacker);
    expect(back).toContain("code=");
    expect((await victim.open(back)).status).toBe(403);
    await victim.fetch(`${origin}/login/start`);
    expect((await victim.open(back)).status, "with a login of their own under way").toBe(403);
    expect(victim.cookie(origin, "__Host-paraph")).toBeUndefined();
    expect((await attacker.open(back)).url).toBe(`${origin}/login`);
    expect((await attacker.open(back)).status, "a second time").toBe(403);
  });

  it("succeeds only with the state that it started with", async () => {
    const browser = new PlainBrowser();
    const back = new URL(await wayBack(browser));
    back.searchParams.set("state", "another");
    expect((await browser.open(back.href)).status).toBe(403);
    expect(browser.cookie(origin, "__Host-paraph")).toBeUndefined();
  });

  it("redirects only to pages of this server", async () => {
    for (const to of ["https://evil.test", "//evil.test", "/\\evil.test", "javascript:alert(1)", "/a b"]) {
      expect((await loginAs(new PlainBrowser(), "ana-at-work", to)).url).toBe(`${origin}/login`);
    }
  });

  it("answers with 403 and starts no session if the person refuses at the issuer", async () => {
    const browser = new PlainBrowser();
    const response = await browser.fetch(`${origin}/login/start`);
    const state = new URL(response.headers.get("location")!).searchParams.get("state");
    const page = await browser.open(
      `${origin}/login/callback?error=access_denied&state=${state}&iss=${issuer.url}`,
    );
    expect([page.status, browser.cookie(origin, "__Host-paraph")]).toEqual([403, undefined]);
  });
});

describe("a session", () => {
  it("ends at logout, which is accepted only from this server's own page", async () => {
    const browser = new PlainBrowser();
    const page = await loginAs(browser, "ana-at-work");
    const kept = browser.cookie(origin, "__Host-paraph")!;
    expect((await browser.fetch(`${origin}/logout`, { method: "POST" })).status).toBe(403);
    const foreign = { method: "POST", headers: { origin: "https://evil.test" } };
    expect((await browser.fetch(`${origin}/logout`, foreign)).status).toBe(403);
    expect((await me(browser)).status).toBe(200);
    expect((await browser.submit(page)).url).toBe(`${origin}/login`);
    expect(browser.cookie(origin, "__Host-paraph")).toBeUndefined();
    browser.setCookie(origin, "__Host-paraph", kept);
    expect((await me(browser)).status).toBe(401);
  });

  it("[TRUST 22] can post only with the origin of this server", async () => {
    const browser = new PlainBrowser();
    await loginAs(browser, "ana-at-work");
    const post = async (headers: Record<string, string>) => {
      const response = await browser.fetch(`${origin}/v1/calls`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: "{}",
      });
      return [response.status, ((await response.json()) as { code: string }).code];
    };
    expect(await post({})).toEqual([403, "origin-not-allowed"]);
    expect(await post({ origin: "null" })).toEqual([403, "origin-not-allowed"]);
    expect(await post({ origin: "https://evil.test" })).toEqual([403, "origin-not-allowed"]);
    expect(await post({ origin })).toEqual([422, "body-invalid"]);
  });

  it("is ignored if the request has an API key, even an invalid one", async () => {
    const browser = new PlainBrowser();
    await loginAs(browser, "ana-at-work");
    const response = await browser.fetch(`${origin}/v1/me`, {
      headers: { authorization: "Bearer paraph_wrong" },
    });
    expect(response.status).toBe(401);
  });
});

describe("a login link", () => {
  const link = async () => (await server.callers.createLoginLink(tenant, "ana"))!;

  it("[TRUST 2] does nothing when it is opened, and logs in once when a person presses the button", async () => {
    const address = await link();
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/login\/local\?token=acme\./);
    const scanner = new PlainBrowser();
    for (let look = 0; look < 3; look++) await scanner.open(address);
    expect(scanner.received).toEqual([]);
    const browser = new PlainBrowser();
    const pressed = await browser.submit(await browser.open(address));
    expect([pressed.url, pressed.status]).toEqual([`${origin}/login`, 200]);
    expect((await me(browser)).body).toMatchObject({ id: "ana", how: "session" });
    expect((await scanner.submit(await scanner.open(address))).status, "a second time").toBe(403);
  });

  it("its page names the person and the real expiry, and a guessed or used link names neither", async () => {
    const address = await link();
    const open = async (url: string) => (await fetch(url)).text();
    const page = await open(address);
    const { principal, expiresAt } = (await server.callers.login.findLink(
      new URL(address).searchParams.get("token")!,
    ))!;
    expect(principal).toBe("ana");
    expect(page).toContain("User: <strong>ana</strong>");
    expect(page).toContain(`until <time datetime="${new Date(expiresAt).toISOString()}">`);
    expect(page).not.toContain("ten minutes");
    const browser = new PlainBrowser();
    await browser.submit(await browser.open(address));
    for (const dead of [
      address,
      address.replace(/.{6}$/, "AAAAAA"),
      `${origin}/login/local?token=${tenant}.x`,
    ])
      expect(await open(dead)).not.toMatch(/ana|<time/);
  });

  it("is created only for people, and accepted only from this server's own page", async () => {
    expect(await server.callers.createLoginLink(tenant, "bot")).toBeUndefined();
    const token = new URL(await link()).searchParams.get("token")!;
    const post = (headers: Record<string, string>, body = new URLSearchParams({ token })) =>
      fetch(`${origin}/login/local`, { method: "POST", redirect: "manual", headers, body });
    expect((await post({})).status).toBe(403);
    expect((await post({ origin: "https://evil.test" })).status).toBe(403);
    expect((await post({ origin }, new URLSearchParams({ token: "x".repeat(5_000) }))).status).toBe(413);
    expect((await post({ origin }, new URLSearchParams())).status).toBe(403);
    expect((await post({ origin })).status).toBe(303);
  });
});

it("[TRUST 22] the pages have no script and no external resource, and send a form's origin to this server only", async () => {
  for (const path of ["/login", "/login/local?token=%22%3E%3Cscript%3E"]) {
    const response = await fetch(origin + path);
    expect(response.headers.get("content-security-policy")).toBe(
      "default-src 'none'; style-src 'self'; img-src 'self'; manifest-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    );
    expect([response.headers.get("referrer-policy"), response.headers.get("cache-control")]).toEqual([
      "same-origin",
      "no-store",
    ]);
    expect(await response.text()).not.toMatch(/<script|<style|\sstyle=|\son\w+=|(src|href)="(https?:)?\/\//i);
  }
});

it("[TRUST 8] a token authenticates a caller over HTTP, and one for another audience or issuer does not", async () => {
  const ask = async (token: string) => {
    const response = await fetch(`${origin}/v1/me`, { headers: { authorization: `Bearer ${token}` } });
    return [response.status, ((await response.json()) as { id?: string }).id];
  };
  expect(await ask(await issuer.token({ sub: "ana-at-work" }))).toEqual([200, "ana"]);
  expect(await ask(await issuer.token({ sub: "ana-at-work", aud: consoleClient.id }))).toEqual([
    401,
    undefined,
  ]);
  expect(await ask(await issuer.token({ sub: "ana-at-work", iss: "https://evil.test" }))).toEqual([
    401,
    undefined,
  ]);
});

it("[TRUST 21] a revoked key is refused by every process within seconds", async () => {
  const other = await start({}, 0);
  const { id, hash, key } = generateApiKey(tenant);
  await people.createKey({ tenant, id, hash, principal: "bot", by: "ana" });
  const ask = async (url: string) =>
    (await fetch(`${url}/v1/me`, { headers: { authorization: `Bearer ${key}` } })).status;
  expect([await ask(origin), await ask(other.http.url)]).toEqual([200, 200]);
  await people.revokeKey(tenant, id);
  await expect
    .poll(async () => [await ask(origin), await ask(other.http.url)], { interval: 50 })
    .toEqual([401, 401]);
  await other.http.stop();
});

it("the server creates a person at the first login if that is configured, and never for a token", async () => {
  const at = await findFreePort();
  const own = await TestIssuer.start(`http://127.0.0.1:${at}/login/callback`);
  const open = await start({ oidc: { ...oidc, issuer: own.url, people: "create" } }, at);
  const token = await own.token({ sub: "carol" });
  const ask = () => fetch(`${open.http.url}/v1/me`, { headers: { authorization: `Bearer ${token}` } });
  expect((await ask()).status).toBe(401);
  const browser = new PlainBrowser();
  let page = await browser.open(`${open.http.url}/login/start`);
  page = await browser.submit(page, { login: "carol", password: "x" });
  await browser.submit(page);
  const answer = await browser.fetch(`${open.http.url}/v1/me`);
  expect(await answer.json()).toMatchObject({ id: "carol", kind: "person", how: "session" });
  expect((await ask()).status).toBe(200);
  await open.http.stop();
  await own.stop();
});

it("an unavailable issuer gives a 503 page at login and an `identity-unavailable` problem in the API", async () => {
  const dead = await start({ oidc: { ...oidc, issuer: `http://127.0.0.1:${await findFreePort()}` } }, 0);
  expect((await fetch(`${dead.http.url}/login/start`)).status).toBe(503);
  const response = await fetch(`${dead.http.url}/v1/me`, { headers: { authorization: "Bearer a.b.c" } });
  expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([
    503,
    "identity-unavailable",
  ]);
  await dead.http.stop();
});

it("[P10] no log line contains a token, a code, a link or a name", () => {
  expect(lines.length).toBeGreaterThan(20);
  expect(lines.join("\n")).not.toMatch(/ana|stranger|carol|acme\.|code=|token=|state=/);
});
