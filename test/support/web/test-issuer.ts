import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import Provider from "oidc-provider";

type Key = Awaited<ReturnType<typeof generateKeyPair>>["privateKey"];

export const audience = "https://paraph.test/api";
export const consoleClient = { id: "console", secret: "not-so-secret-in-a-test-of-the-console" };
export const robotClient = { id: "nightly", secret: "not-so-secret-in-a-test-of-the-robot" };

/** A real OpenID provider on loopback. The test has the provider's key, and can therefore sign any token. */
export class TestIssuer {
  readonly url: string;
  readonly #server: Server;
  readonly #key: Key;
  /** The requests for the provider's keys and metadata. */
  readonly requests: string[] = [];
  /** The claims of the next logins, besides the subject. */
  profile: Record<string, unknown> = {};

  private constructor(url: string, server: Server, key: Key) {
    this.url = url;
    this.#server = server;
    this.#key = key;
  }

  /** Starts the provider. `callback` is the address to which browsers return. */
  static async start(callback: string): Promise<TestIssuer> {
    const { privateKey } = await generateKeyPair("RS256", { extractable: true });
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const issuer = new TestIssuer(url, server, privateKey);
    const jwk = { ...(await exportJWK(privateKey)), kid: "k1", alg: "RS256", use: "sig" };
    const handle = withoutConsole(() => new Provider(url, issuer.#configuration(callback, jwk)).callback());
    server.on("request", (request, response) => {
      if (/well-known|jwks/.test(request.url ?? "")) issuer.requests.push(request.url ?? "");
      handle(request, response);
    });
    return issuer;
  }

  #configuration(callback: string, jwk: object): object {
    return {
      jwks: { keys: [jwk] },
      cookies: { keys: ["a key for the provider's own cookies"] },
      claims: { openid: ["sub", "groups", "email", "email_verified"] },
      conformIdTokenClaims: false,
      pkce: { required: () => true },
      clients: [
        {
          client_id: consoleClient.id,
          client_secret: consoleClient.secret,
          redirect_uris: [callback],
          grant_types: ["authorization_code"],
        },
        {
          client_id: robotClient.id,
          client_secret: robotClient.secret,
          redirect_uris: [],
          response_types: [],
          grant_types: ["client_credentials"],
        },
      ],
      findAccount: (_context: unknown, id: string) => ({
        accountId: id,
        claims: async () => ({ sub: id, ...this.profile }),
      }),
      ttl: {
        Session: 3_600,
        Interaction: 3_600,
        Grant: 3_600,
        ClientCredentials: 600,
        AccessToken: 600,
        IdToken: 600,
      },
      features: {
        clientCredentials: { enabled: true },
        resourceIndicators: {
          enabled: true,
          getResourceServerInfo: async () => ({
            scope: "calls read",
            audience,
            accessTokenFormat: "jwt",
            jwt: { sign: { alg: "RS256" } },
          }),
        },
      },
    };
  }

  /** Signs a token with any claims, as the issuer would. */
  token(
    claims: JWTPayload,
    header: { alg?: string; typ?: string; kid?: string } = {},
    key?: Key | Uint8Array,
  ) {
    const now = Math.floor(Date.now() / 1_000);
    return new SignJWT({ iss: this.url, aud: audience, iat: now, exp: now + 300, ...claims })
      .setProtectedHeader({ alg: "RS256", kid: "k1", typ: "at+jwt", ...header })
      .sign(key ?? this.#key);
  }

  /** Returns a token that the provider itself issued to a client. */
  async clientCredentials(): Promise<string> {
    const response = await fetch(`${this.url}/token`, {
      method: "POST",
      headers: {
        authorization: `Basic ${Buffer.from(`${robotClient.id}:${robotClient.secret}`).toString("base64")}`,
      },
      body: new URLSearchParams({ grant_type: "client_credentials", resource: audience, scope: "read" }),
    });
    return ((await response.json()) as { access_token: string }).access_token;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/**
 * Silences the console. The provider warns that it is not configured for production, which does not matter in a test.
 */
export function withoutConsole<T>(make: () => T): T {
  const { info, warn } = console;
  Object.assign(console, { info: () => {}, warn: () => {} });
  try {
    return make();
  } finally {
    Object.assign(console, { info, warn });
  }
}
