import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";
import { withoutConsole } from "./test-issuer.ts";

export const oauthClient = { id: "mailer", secret: "not-so-secret-in-a-test-of-access-tokens" };
const resourceServer = { id: "mail-server", secret: "not-so-secret-in-a-test-of-servers" };
const scope = "openid offline_access";

/**
 * A real authorization server, for logins at mail and calendar servers. It replaces the refresh token with each answer,
 * and ends the login if a client uses an earlier one. Servers verify access tokens by introspection (RFC 7662).
 */
export class OauthServer implements AsyncDisposable {
  readonly url: string;
  /** The number of requests for tokens, answered or not. */
  tokenRequests = 0;
  /** The access tokens that the server issued. */
  readonly accessTokens: string[] = [];
  /** The lifetime of tokens that the server issues from now on. */
  tokenLifetimeSeconds = 3_600;
  /** Answers requests for tokens instead of the server, if set. */
  respond: ((response: ServerResponse, body: string) => void) | undefined;
  readonly #server = createServer();
  readonly #provider: Provider;

  private constructor(url: string, server: ReturnType<typeof createServer>) {
    this.url = url;
    this.#server = server;
    this.#provider = withoutConsole(() => new Provider(url, this.#configuration()));
    this.#provider.on("access_token.saved", ({ jti }) => this.accessTokens.push(jti));
    this.#provider.on("client_credentials.saved", ({ jti }) => this.accessTokens.push(jti));
    const provide = withoutConsole(() => this.#provider.callback());
    server.on("request", async (request, response) => {
      if (request.url === "/token") {
        this.tokenRequests += 1;
        if (this.respond) {
          const body = Buffer.concat(await request.toArray()).toString();
          return this.respond(response, body);
        }
      }
      provide(request, response);
    });
  }

  static async start(): Promise<OauthServer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new OauthServer(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, server);
  }

  get host(): string {
    return new URL(this.url).host;
  }

  get tokenUrl(): string {
    return `${this.url}/token`;
  }

  /** The URL at which a server verifies an access token, with the credential of the server. */
  get introspectionUrl(): string {
    return `http://${resourceServer.id}:${resourceServer.secret}@${this.host}/token/introspection`;
  }

  /** Logs a person in, and returns the refresh token. */
  async logIn(accountId: string): Promise<string> {
    const { Client, Grant, RefreshToken } = this.#provider;
    const grant = new Grant({ accountId, clientId: oauthClient.id });
    grant.addOIDCScope(scope);
    const grantId = await grant.save();
    const client = await Client.find(oauthClient.id);
    return new RefreshToken({ accountId, client, grantId, scope, gty: "authorization_code" }).save();
  }

  /** Returns the account of an access token, if the token is valid. */
  async findAccount(accessToken: string): Promise<string | undefined> {
    const found = await this.#provider.AccessToken.find(accessToken);
    return found?.isValid ? found.accountId : undefined;
  }

  /** Revokes the access tokens. Refresh tokens stay valid. */
  async revokeAccessTokens(): Promise<void> {
    for (const token of this.accessTokens) await (await this.#provider.AccessToken.find(token))?.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #configuration(): object {
    const client = { client_id: oauthClient.id, client_secret: oauthClient.secret };
    const server = { client_id: resourceServer.id, client_secret: resourceServer.secret };
    return {
      cookies: { keys: ["a key for the provider's own cookies"] },
      clients: [
        {
          ...client,
          token_endpoint_auth_method: "client_secret_post",
          redirect_uris: ["https://client.example/callback"],
          grant_types: ["authorization_code", "refresh_token", "client_credentials"],
        },
        { ...server, redirect_uris: [], response_types: [], grant_types: [] },
      ],
      findAccount: (_context: unknown, id: string) => ({ accountId: id, claims: async () => ({ sub: id }) }),
      rotateRefreshToken: true,
      ttl: {
        ...{ Grant: 86_400, RefreshToken: 86_400, IdToken: 600, ClientCredentials: 600 },
        AccessToken: () => this.tokenLifetimeSeconds,
      },
      features: {
        clientCredentials: { enabled: true },
        introspection: { enabled: true, allowedPolicy: () => true },
      },
    };
  }
}
