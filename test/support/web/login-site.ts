import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { createLocalJWKSet, exportJWK, generateKeyPair, jwtVerify } from "jose";
import Provider from "oidc-provider";
import { z } from "zod";
import { type BrowserPage, PlainBrowser } from "./plain-browser.ts";
import { withoutConsole } from "./test-issuer.ts";

export const knownClient = { id: "known", secret: "not-so-secret-in-a-test-of-logins" };

/** A real OpenID provider and, at the same host, a real MCP server that accepts tokens issued for it. */
export class LoginSite implements AsyncDisposable {
  readonly issuer: string;
  /** The URL of the MCP server. */
  readonly url: string;
  /** Every token that the MCP server received. */
  readonly tokens = new Set<string>();
  /** The requests to the provider, such as `POST /token`. */
  readonly requests: string[] = [];
  /** The lifetime of tokens that the provider issues from now on. */
  tokenLifetimeSeconds = 3_600;
  /** The issuer and the resource that the MCP server states in its metadata. */
  claimedIssuer: string;
  resource: string;
  /** Whether the provider issues tokens and then breaks the connection before they arrive. */
  losesTokens = false;
  /** The scope that the MCP server requires for everything. */
  requiredScope: string | undefined;
  /** Whether the provider echoes requests instead of issuing tokens. */
  echoesRequests = false;
  readonly #server = createServer();
  readonly #registers: boolean;
  readonly #refused = new Set<string>();
  #closeMcp = async () => {};

  private constructor(port: number, server: ReturnType<typeof createServer>, registers: boolean) {
    this.issuer = `http://127.0.0.1:${port}`;
    this.url = `${this.issuer}/mcp`;
    this.claimedIssuer = this.issuer;
    this.resource = this.url;
    this.#server = server;
    this.#registers = registers;
  }

  static async open({ registers = true } = {}): Promise<LoginSite> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const site = new LoginSite((server.address() as AddressInfo).port, server, registers);
    const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true });
    const named = { kid: "k1", alg: "RS256", use: "sig" };
    const jwk = { ...(await exportJWK(privateKey)), ...named };
    const keys = createLocalJWKSet({ keys: [{ ...(await exportJWK(publicKey)), ...named }] });
    const provide = withoutConsole(() => new Provider(site.issuer, site.#configuration(jwk)).callback());
    const serve = site.#mcp();
    server.on("request", async (request, response) => {
      const path = request.url ?? "";
      if (path.startsWith("/.well-known/oauth-protected-resource")) return site.#describe(response);
      if (path !== "/mcp") return site.#provided(provide, request, response);
      const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "";
      site.tokens.add(token);
      const good = await jwtVerify(token, keys, { issuer: site.issuer, audience: site.url }).catch(
        () => null,
      );
      const metadata = `Bearer resource_metadata="${site.issuer}/.well-known/oauth-protected-resource/mcp"`;
      const wider = `${metadata}, error="insufficient_scope", scope="${site.requiredScope}"`;
      if (!good || site.#refused.has(token)) response.writeHead(401, { "www-authenticate": metadata }).end();
      else if (site.requiredScope !== undefined) response.writeHead(403, { "www-authenticate": wider }).end();
      else serve(request, response);
    });
    return site;
  }

  /** Logs in and consents as a person, and returns the page that the browser reaches. */
  async visit(address: string): Promise<BrowserPage> {
    const browser = new PlainBrowser();
    const login = await browser.open(address);
    const consent = await browser.submit(login, { login: "ana", password: "x" });
    return browser.submit(consent);
  }

  /** Makes the MCP server reject every token that it has received so far. */
  refuse(): void {
    for (const token of this.tokens) this.#refused.add(token);
  }

  get tokenRequests(): number {
    return this.requests.filter((each) => each === "POST /token").length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#closeMcp();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #describe(response: ServerResponse): void {
    const said = {
      resource: this.resource,
      authorization_servers: [this.claimedIssuer],
      scopes_supported: ["tools"],
    };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(said));
  }

  #provided(provide: RequestListener, request: IncomingMessage, response: ServerResponse): void {
    this.requests.push(`${request.method} ${request.url}`);
    if (this.echoesRequests && request.url === "/token") return void this.#repeat(request, response);
    if (this.losesTokens && request.url === "/token")
      response.end = () => {
        request.socket.destroy();
        return response;
      };
    provide(request, response);
  }

  async #repeat(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const said = { error: "invalid_request", error_description: await text(request) };
    response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify(said));
  }

  #mcp(): RequestListener {
    const handler = createMcpHandler(() => {
      const server = new McpServer({ name: "guarded", version: "1" });
      server.registerTool(
        "echo",
        { description: "Says it back.", inputSchema: z.object({ text: z.string() }) },
        async (said) => ({ content: [{ type: "text", text: said.text }] }),
      );
      return server;
    });
    this.#closeMcp = () => handler.close();
    return toNodeHandler(handler) as RequestListener;
  }

  #configuration(jwk: object): object {
    return {
      jwks: { keys: [jwk] },
      cookies: { keys: ["a key for the provider's own cookies"] },
      pkce: { required: () => true },
      clients: [
        {
          client_id: knownClient.id,
          client_secret: knownClient.secret,
          application_type: "native",
          redirect_uris: ["http://127.0.0.1/callback"],
          response_types: ["code"],
          grant_types: ["authorization_code", "refresh_token"],
        },
      ],
      findAccount: (_context: unknown, id: string) => ({ accountId: id, claims: async () => ({ sub: id }) }),
      rotateRefreshToken: true,
      ttl: {
        Session: 600,
        Interaction: 600,
        Grant: 86_400,
        RefreshToken: 86_400,
        AccessToken: () => this.tokenLifetimeSeconds,
      },
      features: {
        registration: { enabled: this.#registers },
        revocation: { enabled: true, allowedPolicy: () => true },
        resourceIndicators: {
          enabled: true,
          getResourceServerInfo: async (_context: unknown, resource: string) => ({
            scope: "tools",
            audience: resource,
            accessTokenFormat: "jwt",
            jwt: { sign: { alg: "RS256" } },
          }),
        },
      },
    };
  }
}
