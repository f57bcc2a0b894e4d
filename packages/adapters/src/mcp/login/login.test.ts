import { execFile } from "node:child_process";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inspect, promisify } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { knownClient, LoginSite } from "../../../../../test/support/web/login-site.ts";
import { openAdapters } from "../../../../server/src/services/open-adapters.ts";
import { readFault } from "../../testing.ts";
import { mcp } from "../index.ts";
import { createFolder, createMcpFixture, createMcpTestContext } from "../testing/fixture.ts";
import { startHostedServer } from "../testing/hosted-server.ts";
import { createLoginContext, logInFully } from "../testing/logins.ts";
import { openLogin, runLogout } from "./index.ts";
import { LoginStore } from "./login-store.ts";

const run = promisify(execFile);
let site: LoginSite;
let other: LoginSite;
let folder: Awaited<ReturnType<typeof createFolder>>;
beforeAll(async () => {
  [site, other] = await Promise.all([LoginSite.open(), LoginSite.open({ registers: false })]);
});
afterAll(() => Promise.all([site[Symbol.asyncDispose](), other[Symbol.asyncDispose]()]));
beforeEach(async () => {
  folder = await createFolder();
});
afterEach(async () => {
  site.tokenLifetimeSeconds = 3_600;
  site.claimedIssuer = site.issuer;
  site.resource = site.url;
  site.losesTokens = false;
  site.echoesRequests = false;
  site.requiredScope = undefined;
  other.requests.length = 0;
  await folder[Symbol.asyncDispose]();
});

const adapterOf = (oauth: object = {}) => mcp.http(site.url, { oauth: { login: true, ...oauth } });
const kept = () => new LoginStore({ folder: folder.path, adapter: "srv" }).read();
const hello = { content: [{ type: "text", text: "hello" }] };
/** The lifetime of a token. It is shorter than the expiry margin of 10 s, so that every request refreshes the token. */
const spentAtOnce = 9;

it("[TRUST 8] the adapter is unavailable until a login, says how to log in, and has tokens for this server only", async () => {
  const setting = createLoginContext(folder.path);
  const unavailable = await createMcpFixture(adapterOf(), folder.path).catch((error) => error);
  expect(unavailable).toMatchObject({ code: "mcp-login-needed" });
  expect(unavailable.message).toContain("Run `paraph mcp login srv`");

  expect(await logInFully(site, adapterOf(), setting)).toEqual({ lasts: true });
  await using fixture = await createMcpFixture(adapterOf(), folder.path);
  const echo = await fixture.capability("echo");
  expect(await echo.apply({ text: "hello" }, createMcpTestContext())).toEqual(hello);
  const login = await kept();
  expect(login).toMatchObject({ server: site.url, resource: site.url, issuer: site.issuer });
  expect(await echo.apply({ text: login!.accessToken }, createMcpTestContext())).toEqual({
    content: [{ type: "text", text: "•••" }],
  });
  const { mode } = await stat(join(folder.path, ".paraph", "mcp-logins", "srv.sqlite"));
  expect(mode & 0o777).toBe(0o600);
});

it("an adapter that is unavailable without a login becomes ready by itself after a login", async () => {
  const up = Promise.withResolvers<void>();
  const problems: string[] = [];
  const adapters = await openAdapters({
    adapters: { srv: adapterOf() },
    folder: folder.path,
    credential: async () => "",
    contractCache: { recall: async () => new Map(), keep: async () => {} },
    onChange: async () => up.resolve(),
    onProblem: (code) => void problems.push(code),
  });
  await logInFully(site, adapterOf(), createLoginContext(folder.path));
  await up.promise;
  expect(await adapters.list(AbortSignal.timeout(60_000))).toMatchObject([{ name: "srv", state: "ready" }]);
  expect(problems).toEqual(["mcp-login-needed"]);
  await adapters.close();
});

it("[TRUST 8] Paraph refreshes a spent token and its refresh token; a login is valid only for its configuration", async () => {
  site.tokenLifetimeSeconds = spentAtOnce;
  await logInFully(site, adapterOf(), createLoginContext(folder.path));
  const before = await kept();
  site.tokenLifetimeSeconds = 3_600;
  await using fixture = await createMcpFixture(adapterOf(), folder.path);
  await fixture.capability("echo");
  const after = await kept();
  expect(after!.accessToken).not.toBe(before!.accessToken);
  expect(after!.refreshToken).not.toBe(before!.refreshToken);

  const elsewhere = mcp.http(`${site.url}/v2`, { oauth: { login: true } });
  for (const adapter of [elsewhere, adapterOf({ issuer: other.issuer }), adapterOf({ clientId: "another" })])
    expect(await readFault(createMcpFixture(adapter, folder.path))).toBe("permanent mcp-login-needed");
});

it("[TRUST 8] two processes that refresh concurrently keep the login, although a refresh token works only once", async () => {
  site.tokenLifetimeSeconds = spentAtOnce;
  await logInFully(site, adapterOf(), createLoginContext(folder.path));
  const program = fileURLToPath(new URL("../testing/caller.ts", import.meta.url));
  const caller = () =>
    run(process.execPath, ["--conditions=paraph-source", program, folder.path, site.url, "8"]);
  const before = site.tokenRequests;
  await Promise.all([caller(), caller()]);
  // A process that waited for the lock uses the token that the other process got, so there are fewer token requests
  // than calls.
  expect(site.tokenRequests - before).toBeGreaterThan(8);
  expect((await kept())!.refreshToken).toBeDefined();
});

it("[P10] errors do not quote an issuer that echoes the code or the refresh token", async () => {
  const setting = createLoginContext(folder.path);
  await using door = await openLogin(adapterOf(), setting);
  const begun = await door.begin(new URL(`${site.issuer}/callback`));
  const query = new URL((await site.visit(begun.url)).url).searchParams;
  site.tokenLifetimeSeconds = spentAtOnce;
  await logInFully(site, adapterOf(), setting);
  const { refreshToken } = (await kept())!;
  site.echoesRequests = true;
  const faults = [
    await begun.finish(query).catch((error) => error),
    await createMcpFixture(adapterOf(), folder.path).catch((error) => error),
  ];
  expect(faults.map(({ code }) => code)).toEqual(["mcp-login-refused", "mcp-issuer-unavailable"]);
  for (const secret of [query.get("code")!, refreshToken!])
    expect(inspect(faults, { depth: 9 })).not.toContain(secret);
});

it("a refresh without a response ends the login; Paraph does not ask the issuer again and uses a new login", async () => {
  site.tokenLifetimeSeconds = spentAtOnce;
  const setting = createLoginContext(folder.path);
  await logInFully(site, adapterOf(), setting);
  await using fixture = await createMcpFixture(adapterOf(), folder.path);
  const echo = await fixture.capability("echo");
  const call = () => readFault(echo.apply({ text: "hello" }, createMcpTestContext()));
  site.losesTokens = true;
  expect(await call()).toBe("not-performed mcp-issuer-unavailable");
  site.losesTokens = false;
  expect(await call()).toBe("permanent mcp-login-needed");
  const before = site.tokenRequests;
  expect(await call()).toBe("permanent mcp-login-needed");
  expect(site.tokenRequests).toBe(before);
  site.tokenLifetimeSeconds = 3_600;
  await logInFully(site, adapterOf(), setting);
  expect(await call()).toBe("no fault");
});

it("[TRUST 8] Paraph sends no request and no token to another issuer that the server names after the login", async () => {
  site.tokenLifetimeSeconds = spentAtOnce;
  const setting = createLoginContext(folder.path);
  await logInFully(site, adapterOf(), setting);
  site.claimedIssuer = other.issuer;
  await using fixture = await createMcpFixture(adapterOf(), folder.path);
  const echo = await fixture.capability("echo");
  expect(await readFault(echo.apply({ text: "hello" }, createMcpTestContext()))).toBe("no fault");
  site.refuse();
  expect(await readFault(echo.apply({ text: "hello" }, createMcpTestContext()))).toBe("no fault");
  expect(other.requests).toEqual([]);

  const configured = adapterOf({ issuer: site.issuer });
  expect(await readFault(openLogin(configured, setting))).toBe("permanent mcp-issuer-other");
  await using door = await openLogin(adapterOf({ issuer: other.issuer }), setting);
  expect(door).toMatchObject({ issuer: other.issuer, issuerBefore: site.issuer, isNamed: true });
});

it("[TRUST 8] a response with the state, code, issuer or resource of another login is not redeemed", async () => {
  const setting = createLoginContext(folder.path);
  await using door = await openLogin(adapterOf(), setting);
  expect(door).toMatchObject({ issuer: site.issuer, isNamed: false, scope: "tools offline_access" });
  const redirect = new URL(`${site.issuer}/callback`);
  const [mine, theirs] = [await door.begin(redirect), await door.begin(redirect)];
  const query = async (begun: typeof mine) => new URL((await site.visit(begun.url)).url).searchParams;
  const [good, foreign] = [await query(mine), await query(theirs)];
  const before = site.tokenRequests;
  const refused = async (over: Record<string, string>) =>
    readFault(mine.finish(new URLSearchParams({ ...Object.fromEntries(good), ...over })));

  expect(mine.isAnswer(foreign)).toBe(false);
  expect(await readFault(mine.finish(foreign))).toBe("permanent mcp-login-refused");
  expect(await refused({ iss: other.issuer })).toBe("permanent mcp-login-refused");
  expect(site.tokenRequests).toBe(before);
  expect(await refused({ code: foreign.get("code")! })).toBe("permanent mcp-login-refused");
  expect(await kept()).toBeUndefined();
  const denied = new URLSearchParams({ state: good.get("state")!, error: "access_denied" });
  await expect(mine.finish(denied)).rejects.toThrow("(`access_denied`)");

  site.resource = `${other.issuer}/mcp`;
  expect(await readFault(openLogin(adapterOf(), setting))).toBe("permanent mcp-login-impossible");
});

it("a token that the server rejects is refreshed once; if the server rejects the next one, Paraph stops", async () => {
  await logInFully(site, adapterOf(), createLoginContext(folder.path));
  await using fixture = await createMcpFixture(adapterOf(), folder.path);
  const echo = await fixture.capability("echo");
  const call = () => readFault(echo.apply({ text: "hello" }, createMcpTestContext()));
  const before = site.tokenRequests;
  site.refuse();
  expect(await call()).toBe("no fault");
  expect(site.tokenRequests).toBe(before + 1);
  site.refuse();
  expect([await call(), await call()]).toEqual(Array(2).fill("permanent mcp-unauthorized"));
  expect(site.tokenRequests).toBe(before + 1);
});

it("a login that was revoked at the issuer ends as soon as the server rejects its token", async () => {
  await logInFully(site, adapterOf(), createLoginContext(folder.path));
  await using fixture = await createMcpFixture(adapterOf(), folder.path);
  const echo = await fixture.capability("echo");
  const { refreshToken, client } = (await kept())!;
  const body = new URLSearchParams({ token: refreshToken!, client_id: client.id });
  expect((await fetch(`${site.issuer}/token/revocation`, { method: "POST", body })).status).toBe(200);
  site.refuse();
  expect(await readFault(echo.apply({ text: "hello" }, createMcpTestContext()))).toBe(
    "permanent mcp-login-needed",
  );
});

it("[P8] a call fails permanently if the server requires a wider scope, and does not wait for a new login", async () => {
  await logInFully(site, adapterOf(), createLoginContext(folder.path));
  await using fixture = await createMcpFixture(adapterOf(), folder.path);
  const echo = await fixture.capability("echo");
  site.requiredScope = "everything";
  expect(await readFault(echo.apply({ text: "hello" }, createMcpTestContext()))).toBe(
    "permanent mcp-scope-missing",
  );
});

it("an issuer without registration requires a configured client, whose secret is not stored with the tokens", async () => {
  const oauth = (more: object = {}) => mcp.http(other.url, { oauth: { login: true, ...more } });
  const setting = createLoginContext(folder.path, { CLIENT_SECRET: knownClient.secret });
  expect(await readFault(logInFully(other, oauth(), setting))).toBe("permanent mcp-client-needed");
  const adapter = oauth({ clientId: knownClient.id, clientSecret: "$" + "{CLIENT_SECRET}" });
  other.tokenLifetimeSeconds = spentAtOnce;
  await logInFully(other, adapter, setting);
  await using fixture = await createMcpFixture(adapter, folder.path, { CLIENT_SECRET: knownClient.secret });
  await fixture.capability("echo");
  expect((await kept())!.client).toEqual({ id: knownClient.id });
});

it("logout revokes the tokens at the issuer, and deletes them even if the issuer is unavailable", async () => {
  const setting = createLoginContext(folder.path);
  expect(await runLogout(adapterOf(), setting)).toBe("nobody");
  await logInFully(site, adapterOf(), setting);
  const { refreshToken, client } = (await kept())!;
  await using fixture = await createMcpFixture(adapterOf(), folder.path);
  const echo = await fixture.capability("echo");
  expect(await runLogout(adapterOf(), setting)).toBe("revoked");
  expect(await readFault(echo.apply({ text: "hello" }, createMcpTestContext()))).toBe(
    "permanent mcp-login-needed",
  );
  const again = new URLSearchParams({ grant_type: "refresh_token", client_id: client.id });
  again.set("refresh_token", refreshToken!);
  const answer = await fetch(`${site.issuer}/token`, { method: "POST", body: again });
  expect(await answer.json()).toMatchObject({ error: "invalid_grant" });

  await using gone = await LoginSite.open();
  const adapter = mcp.http(gone.url, { oauth: { login: true } });
  await logInFully(gone, adapter, setting);
  await gone[Symbol.asyncDispose]();
  expect(await runLogout(adapter, setting)).toBe("forgotten");
  expect(await kept()).toBeUndefined();
});

it("a login requires an MCP server over HTTP that is configured for it and that requires a login", async () => {
  const setting = createLoginContext(folder.path);
  for (const adapter of [undefined, mcp.http(site.url), mcp.stdio({ command: "true" })])
    expect(await readFault(openLogin(adapter, setting))).toBe("permanent mcp-login-not-configured");
  await using open = await startHostedServer();
  const unguarded = mcp.http(open.url, { oauth: { login: true } });
  await expect(openLogin(unguarded, setting)).rejects.toThrow("requires no login");
  const wrong = mcp.http(site.url, { oauth: { login: true, clientSecret: "$" + "{A}" } });
  await expect(createMcpFixture(wrong, folder.path)).rejects.toThrow("`clientSecret` requires `clientId`");
});
