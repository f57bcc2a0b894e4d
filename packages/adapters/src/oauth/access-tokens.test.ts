import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { OauthServer, oauthClient } from "../../../../test/support/web/oauth-server.ts";
import { createEgressPolicy } from "../egress/egress-policy.ts";
import { readFault } from "../testing.ts";
import { AccessTokens } from "./access-tokens.ts";
import { type OauthClient, oauthConfig } from "./config.ts";

let server: OauthServer;
let folder: string;
let client: OauthClient;
let tokens: AccessTokens;
const opened: AccessTokens[] = [];
/**
 * The lifetime of a token that is replaced at each use, because it is shorter than the expiry margin of 60 s. It is long
 * enough for a busy machine to use the token before the server forgets it.
 */
const spentAtOnce = 45;

beforeAll(async () => {
  server = await OauthServer.start();
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "paraph-oauth-"));
  client = {
    tokenUrl: server.tokenUrl,
    clientId: oauthClient.id,
    clientSecret: oauthClient.secret,
    refreshToken: await server.logIn("ana"),
  };
  server.tokenRequests = 0;
  tokens = open();
});
afterEach(async () => {
  server.tokenLifetimeSeconds = 3_600;
  server.respond = undefined;
  await Promise.all(opened.splice(0).map((each) => each.close()));
  await rm(folder, { recursive: true, force: true });
});

/** The tokens as another process has them, or this one after a restart. */
function open(allow: readonly string[] = [server.host]): AccessTokens {
  const made = new AccessTokens({ folder, egress: createEgressPolicy(allow) });
  opened.push(made);
  return made;
}

const get = (from = tokens, as = client, signal = new AbortController().signal) => from.get(as, signal);
const findFault = (over: Partial<OauthClient> = {}) =>
  get(tokens, { ...client, ...over }).catch((error) => error);

it("concurrent callers share one request, and a token is used until a minute before it expires", async () => {
  const [first, ...others] = await Promise.all([get(), get(), get()]);
  expect(others).toEqual([first, first]);
  expect(await get()).toBe(first);
  expect(server.tokenRequests).toBe(1);
  expect(await server.findAccount(first!.value)).toBe("ana");

  server.tokenLifetimeSeconds = spentAtOnce;
  const other = { ...client, refreshToken: await server.logIn("bo") };
  const spent = await get(tokens, other);
  expect(await server.findAccount(spent.value)).toBe("bo");
  expect((await get(tokens, other)).value).not.toBe(spent.value);
  expect(server.tokenRequests).toBe(3);
});

it("[TRUST 8] a replaced refresh token is kept: a restart and other processes go on with the new one", async () => {
  server.tokenLifetimeSeconds = spentAtOnce;
  await get();
  const other = open();
  // The server ends the login if a client uses a replaced refresh token, so any mistake fails the later requests.
  await Promise.all([1, 2, 3, 4].flatMap(() => [get(), get(other)]));
  for (let calls = 0; calls < 4; calls++) await Promise.all([get(), get(other)]);
  expect(await server.findAccount((await get(open())).value)).toBe("ana");

  const [file = "", ...more] = await readdir(join(folder, ".paraph", "oauth-tokens"));
  expect(more).toEqual([]);
  expect((await stat(join(folder, ".paraph", "oauth-tokens", file))).mode & 0o777).toBe(0o600);
  // A new login of an operator replaces what is stored.
  client = { ...client, refreshToken: await server.logIn("bo") };
  expect(await server.findAccount((await get()).value)).toBe("bo");
});

it("[TRUST 8] without a place for a new refresh token, the configured one is not used up", async () => {
  await writeFile(join(folder, ".paraph"), "a file, and no folder");
  expect(await findFault()).toMatchObject({ kind: "permanent", code: "oauth-store-unusable" });
  expect(server.tokenRequests).toBe(0);
});

it("a client without a refresh token gets tokens for itself, and stores nothing", async () => {
  const { refreshToken: _, ...itself } = client;
  expect(server.accessTokens).toContain((await get(tokens, itself)).value);
  expect(await readdir(folder)).toEqual([]);
});

it("[P8] a refused token request is permanent, and says what to correct", async () => {
  const { message, ...refused } = await findFault({ refreshToken: "no such token" });
  expect(refused).toMatchObject({ kind: "permanent", code: "oauth-refused" });
  expect(message).toContain(`\`${server.host}\` refused to issue an access token: \`invalid_grant\``);
  expect(message).toContain("replace the secret that `refreshToken` names");
  expect((await findFault({ clientSecret: "wrong" })).message).toContain("Check `clientId`");
  server.respond = (response) => response.writeHead(404).end("Not here");
  expect(await findFault()).toMatchObject({ kind: "permanent", code: "oauth-refused" });
  server.respond = (response) => response.writeHead(200).end("<html>A login page</html>");
  expect(await findFault()).toMatchObject({ kind: "permanent", code: "oauth-answer-invalid" });
  server.respond = (response) =>
    response.writeHead(200).end(JSON.stringify({ access_token: "a\r\nb", token_type: "Bearer" }));
  expect(await findFault()).toMatchObject({ kind: "permanent", code: "oauth-answer-invalid" });
});

it("[P8] a failed token request is never ambiguous, and a later one succeeds", async () => {
  server.respond = (response) => response.writeHead(503, { "retry-after": "7" }).end();
  expect(await findFault()).toMatchObject({
    kind: "not-performed",
    code: "oauth-unavailable",
    retryAfterMs: 7_000,
  });
  server.respond = (response) => response.writeHead(500).end();
  expect(await findFault()).toMatchObject({ kind: "not-performed", code: "oauth-unavailable" });
  server.respond = (response) => response.destroy();
  expect(await findFault()).toMatchObject({ kind: "not-performed", code: "oauth-unavailable" });
  server.respond = undefined;
  expect(await server.findAccount((await get()).value)).toBe("ana");
});

it("a caller that is stopped leaves the request to the others", async () => {
  const stopping = new AbortController();
  const stopped = readFault(get(tokens, client, stopping.signal));
  const waiting = get();
  stopping.abort();
  expect(await stopped).toBe("not-performed stopped");
  expect(await server.findAccount((await waiting).value)).toBe("ana");
  expect(server.tokenRequests).toBe(1);
});

it("[TRUST 17] the egress policy governs the token endpoint, and no redirect is followed", async () => {
  expect(await readFault(get(open([])))).toBe("permanent address-not-allowed");
  expect(server.tokenRequests).toBe(0);
  server.respond = (response) => response.writeHead(307, { location: server.tokenUrl }).end();
  expect(await readFault(get())).toBe("permanent oauth-refused");
  expect(server.tokenRequests).toBe(1);
});

it("[P10] [TRUST 16] no fault quotes a server that echoes the secrets of the request", async () => {
  const faults: unknown[] = [];
  for (const status of [400, 401, 500, 200]) {
    server.respond = (response, body) =>
      response
        .writeHead(status, { "content-type": "application/json" })
        .end(JSON.stringify({ error: body, error_description: body, access_token: `${body} ` }));
    faults.push(await findFault());
  }
  const text = inspect(faults, { depth: 9 });
  for (const secret of [client.refreshToken!, client.clientSecret!]) expect(text).not.toContain(secret);
});

it("a token that a server refuses is forgotten, and a new one may help only if that server accepted it", async () => {
  const first = await get();
  first.acceptedBy.add("imap");
  expect(tokens.reject(first, "smtp")).toBe(false);
  const second = await get();
  expect(second.value).not.toBe(first.value);
  second.acceptedBy.add("imap");
  expect(tokens.reject(second, "imap")).toBe(true);
});

it("the configuration names secrets, and a token endpoint with https or on this machine", () => {
  const good = {
    tokenUrl: "https://login.example.org/token",
    clientId: "a",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how a configuration names a secret.
    refreshToken: "${REFRESH_TOKEN}",
  };
  const accepts = (over: object) => oauthConfig.safeParse({ ...good, ...over }).success;
  expect(accepts({})).toBe(true);
  expect(accepts({ tokenUrl: "http://127.0.0.1:8080/token" })).toBe(true);
  for (const tokenUrl of [
    "http://login.example.org/token",
    "https://user:password@login.example.org/token",
    "https://login.example.org/token?a=b",
    "ftp://127.0.0.1/token",
    "token",
  ])
    expect(accepts({ tokenUrl }), tokenUrl).toBe(false);
  expect(accepts({ refreshToken: "the token itself" })).toBe(false);
  expect(accepts({ refreshToken: undefined })).toBe(false);
  expect(accepts({ grant: "password" })).toBe(false);
});
