import { hasScope } from "@paraph/core";
import type { Context } from "hono";
import { createRouter, type Env, type RouteDeps } from "../context.ts";
import { authenticate, isStillAllowed } from "../middleware/authenticate.ts";
import { scopeMissing } from "../middleware/authorization.ts";
import { jsonBody } from "../middleware/json-body.ts";
import { readTraceparentHeader } from "../middleware/traceparent.ts";
import { createWaitSignal } from "../middleware/wait-as-preferred.ts";
import { HttpProblem } from "../problem.ts";
import { serveLimitedStream } from "../streams/limited-stream.ts";

const metadataPath = "/.well-known/oauth-protected-resource";

/**
 * Creates the MCP routes. `/mcp` offers all capabilities. `/mcp/<server>` offers one MCP server under the server's own
 * names.
 */
export function createMcpRoutes(parts: RouteDeps) {
  const { mcp, tokens } = parts;
  const app = createRouter();
  if (!mcp) return app;

  if (tokens) {
    /** Returns the metadata of RFC 9728, which names the issuer for clients that have no token. */
    const metadata = (path: string) => ({
      resource: `${tokens.url()}${path}`,
      authorization_servers: [tokens.issuer],
      bearer_methods_supported: ["header"],
      scopes_supported: ["calls", "read"],
    });
    app.get(`${metadataPath}/mcp/:server?`, (c) => {
      const server = c.req.param("server");
      return c.json(metadata(server === undefined ? "/mcp" : `/mcp/${server}`));
    });
  }

  const known = authenticate(parts);
  const challenge = (c: Context<Env>) =>
    tokens
      ? `Bearer resource_metadata="${tokens.url()}${metadataPath}${new URL(c.req.url).pathname}"`
      : "Bearer";
  app.use("/mcp/:server?", async (c, next) => {
    if (c.req.header("authorization") === undefined) throw notAuthenticated(challenge(c));
    try {
      return await known(c, next);
    } catch (error) {
      throw error instanceof HttpProblem && error.code === "not-authenticated"
        ? notAuthenticated(challenge(c))
        : error;
    }
  });
  app.use("/mcp/:server?", jsonBody);
  app.on(["GET", "POST", "DELETE"], "/mcp/:server?", async (c) => {
    const server = c.req.param("server");
    // [TRUST 21] A key that may not make calls cannot use MCP, not even to read calls that were made with another key.
    const caller = c.get("caller");
    if (!hasScope(caller, "calls") && !hasScope(caller, "admin")) throw scopeMissing(["calls"]);
    // Rejects an unknown server name before the request reaches MCP.
    if (server !== undefined && !mcp.hasServer(caller.principal, server))
      throw new HttpProblem("not-found", "No MCP server of this name is configured here.");
    const body = c.req.method === "POST" ? await c.req.json() : undefined;
    const signal = createWaitSignal(c, parts);
    const serve = () =>
      mcp.serve(c.req.raw, {
        caller,
        server,
        signal,
        trace: readTraceparentHeader(c),
        body,
        isStillAllowed: () => isStillAllowed(c, parts.service),
      });
    return isStream(c.req.method, body) ? serveLimitedStream(c, parts, signal, serve) : serve();
  });
  return app;
}

function isStream(method: string, body: unknown): boolean {
  return (
    method === "GET" || (body as { readonly method?: unknown } | null)?.method === "subscriptions/listen"
  );
}

/**
 * Returns the problem for a missing key or token. MCP accepts no cookie, because an agent must not use a browser's
 * session.
 */
function notAuthenticated(challenge: string): HttpProblem {
  return new HttpProblem(
    "not-authenticated",
    "Send `Authorization: Bearer <api key or access token>` with a key or token that is in force.",
    { headers: { "www-authenticate": challenge } },
  );
}
