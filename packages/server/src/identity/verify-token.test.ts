import { createPublicKey } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Caller, ParaphError, type Principal } from "@paraph/core";
import { generateKeyPair, UnsecuredJWT } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  audience,
  consoleClient,
  robotClient,
  TestIssuer,
} from "../../../../test/support/web/test-issuer.ts";
import { createBearerAuthenticator } from "./bearer-authenticator.ts";
import { type OidcConfig, oidcSchema } from "./config.ts";
import { createIssuer } from "./issuer.ts";
import { verifyToken } from "./verify-token.ts";

const tenant = "acme";
const known: Record<string, Principal> = {
  ana: { tenant, id: "ana", kind: "person" },
  "agent-7": { tenant, id: "bot", kind: "agent", owner: "bo" },
  [robotClient.id]: { tenant, id: "nightly", kind: "service" },
  bo: { tenant, id: "bo", kind: "person" },
};

let issuer: TestIssuer;
let now = 0;
let elapsed = 0;
beforeAll(async () => {
  issuer = await TestIssuer.start("http://127.0.0.1/login/callback");
});
afterAll(() => issuer.stop());

const seconds = () => Math.floor(Date.now() / 1_000);

function authenticating(more: Partial<OidcConfig> = {}, readClock = () => Date.now() + now) {
  const oidc = { issuer: issuer.url, audience, tenant, ...more };
  const asked: unknown[] = [];
  const options = { oidc, secret: async () => "", now: readClock };
  const ownIssuer = createIssuer(options);
  const authenticate = createBearerAuthenticator({
    findKey: async () => undefined,
    now: options.now,
    monotonicNow: () => elapsed,
    tokens: {
      verify: (token) => verifyToken(token, { ...options, issuer: ownIssuer }),
      find: async (subject, groups) => {
        asked.push([subject, groups?.names]);
        return known[subject];
      },
    },
  });
  return { authenticate, asked };
}

describe("[TRUST 8] tokens of the issuer", () => {
  const principal = async (token: string, more: Partial<OidcConfig> = {}) =>
    (await authenticating(more).authenticate(token))?.principal;

  it("authenticate the principal that is linked to their subject", async () => {
    const { authenticate } = authenticating();
    expect(await authenticate(await issuer.token({ sub: "ana" }))).toEqual({
      principal: { tenant, id: "ana", kind: "person" },
      how: "token",
      expiresAt: expect.any(Number),
    } satisfies Caller);
    expect(await principal(await issuer.token({ sub: "nobody" }))).toBeUndefined();
  });

  it.each<[string, () => Promise<string> | string]>([
    ["another audience", () => issuer.token({ sub: "ana", aud: "https://other.test" })],
    ["the client's audience, as of an ID token", () => issuer.token({ sub: "ana", aud: consoleClient.id })],
    ["no audience", () => issuer.token({ sub: "ana", aud: undefined as never })],
    ["another issuer", () => issuer.token({ sub: "ana", iss: "https://evil.test" })],
    ["no expiry", () => issuer.token({ sub: "ana", exp: undefined as never })],
    ["expired", () => issuer.token({ sub: "ana", exp: seconds() - 60 })],
    ["not yet", () => issuer.token({ sub: "ana", nbf: seconds() + 60 })],
    ["a logout token", () => issuer.token({ sub: "ana" }, { typ: "logout+jwt" })],
    ["a DPoP proof", () => issuer.token({ sub: "ana" }, { typ: "dpop+jwt" })],
    ["bound to a key that is not shown", () => issuer.token({ sub: "ana", cnf: { jkt: "x" } })],
    [
      "unsigned",
      () =>
        new UnsecuredJWT({
          sub: "ana",
          iss: issuer.url,
          aud: audience,
          iat: seconds(),
          exp: seconds() + 60,
        }).encode(),
    ],
    [
      "signed with a shared secret",
      () => issuer.token({ sub: "ana" }, { alg: "HS256" }, Buffer.from(consoleClient.secret)),
    ],
    [
      "an unknown key",
      async () => issuer.token({ sub: "ana" }, { kid: "k2" }, (await generateKeyPair("RS256")).privateKey),
    ],
    [
      "somebody's key under the issuer's name",
      async () => issuer.token({ sub: "ana" }, {}, (await generateKeyPair("RS256")).privateKey),
    ],
    ["no token at all", () => "x.y.z"],
    ["nonsense", () => "ey"],
  ])("are refused: %s", async (_, make) => {
    expect(await principal(await make())).toBeUndefined();
  });

  it("are refused when the issuer's public key is used as a shared secret", async () => {
    const jwks = (await (await fetch(`${issuer.url}/jwks`)).json()) as { keys: { n: string; e: string }[] };
    const { n, e } = jwks.keys[0]!;
    const pem = createPublicKey({ key: { kty: "RSA", n, e }, format: "jwk" }).export({
      type: "spki",
      format: "pem",
    });
    expect(
      await principal(await issuer.token({ sub: "ana" }, { alg: "HS256" }, Buffer.from(pem))),
    ).toBeUndefined();
  });

  it("with `act` authenticate the agent, on behalf of the person", async () => {
    expect(await principal(await issuer.token({ sub: "ana", act: { sub: "agent-7" } }))).toEqual({
      ...known["agent-7"],
      onBehalfOf: "ana",
    });
    const chain = { sub: "agent-7", act: { sub: "bo" } };
    expect(await principal(await issuer.token({ sub: "ana", act: chain }))).toMatchObject({ id: "bot" });
    for (const act of [{}, "agent-7", null, { sub: "nobody" }, { sub: "bo" }, { sub: 7 }]) {
      expect(await principal(await issuer.token({ sub: "ana", act }))).toBeUndefined();
    }
    expect(
      await principal(await issuer.token({ sub: robotClient.id, act: { sub: "agent-7" } })),
    ).toBeUndefined();
  });

  it("of a client itself authenticate its service, and never a person or an agent of the client's name", async () => {
    expect(await principal(await issuer.clientCredentials())).toEqual(known[robotClient.id]);
    const without = (client_id: string) => issuer.token({ client_id });
    expect(await principal(await without(robotClient.id))).toEqual(known[robotClient.id]);
    expect(await principal(await without("ana"))).toBeUndefined();
    expect(await principal(await issuer.token({ azp: "agent-7" }))).toBeUndefined();
    expect(
      await principal(await issuer.token({ azp: robotClient.id, act: { sub: "agent-7" } })),
    ).toBeUndefined();
  });

  it("give subject and groups in the configured claims; an agent gets none of the person's groups", async () => {
    const { authenticate, asked } = authenticating({ subject: "email", groups: "groups" });
    const claims = {
      sub: "x",
      email: "ana",
      email_verified: true,
      groups: ["eng", 7, "a\u0000b", "x".repeat(300)],
    };
    await authenticate(await issuer.token(claims));
    await authenticate(await issuer.token({ ...claims, act: { sub: "agent-7" } }));
    await authenticate(await issuer.token({ ...claims, email_verified: false }));
    expect(asked).toEqual([
      ["ana", ["eng"]],
      ["ana", undefined],
      ["agent-7", undefined],
    ]);
  });

  it("are limited to the Paraph scopes that they name, if any", async () => {
    const { authenticate } = authenticating();
    const scopes = async (scope: unknown) =>
      (await authenticate(await issuer.token({ sub: "ana", scope })))?.scopes;
    expect(await scopes("openid read calls:files.*")).toEqual(["read", "calls:files.*"]);
    expect(await scopes("openid profile")).toBeUndefined();
    expect(await scopes(undefined)).toBeUndefined();
  });

  it("are cached for one second, and never past their expiry", async () => {
    const { authenticate, asked } = authenticating();
    const token = await issuer.token({ sub: "ana" });
    await authenticate(token);
    await authenticate(token);
    expect(asked.length).toBe(1);
    elapsed += 1_001;
    await authenticate(token);
    expect(asked.length).toBe(2);
    now = 400_000;
    elapsed += 1_001;
    expect(await authenticate(token)).toBeUndefined();
    now = 0;
  });
});

it("[P11] no token is accepted while the issuer fails, and Paraph does not query the issuer on every request", async () => {
  let connections = 0;
  const broken = createServer((_, response) => {
    connections++;
    response.writeHead(500).end();
  });
  await new Promise<void>((resolve) => broken.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(broken.address() as AddressInfo).port}`;
  // This clock stands still, so that the pause between two queries does not end during the test.
  let at = Date.now();
  const { authenticate } = authenticating({ issuer: url }, () => at);
  const token = await issuer.token({ sub: "ana", iss: url });
  for (let request = 0; request < 5; request++) {
    await expect(authenticate(token)).rejects.toMatchObject({
      code: "identity-unavailable",
    } satisfies Partial<ParaphError>);
  }
  expect(connections).toBe(1);
  at += 3_000;
  await expect(authenticate(token)).rejects.toThrow(ParaphError);
  expect(connections).toBe(2);
  broken.closeAllConnections();
  await new Promise((resolve) => broken.close(resolve));
});

it("rejects an insecure issuer, an empty audience, an invalid tenant, and a client id equal to the audience", () => {
  const good = { issuer: "https://login.example.com", audience, tenant };
  expect(oidcSchema.safeParse(good).success).toBe(true);
  for (const bad of [
    { issuer: "http://login.example.com" },
    { issuer: "login" },
    { audience: "" },
    { tenant: "Acme!" },
    { client: { id: audience } },
  ]) {
    expect(oidcSchema.safeParse({ ...good, ...bad }).success).toBe(false);
  }
});
