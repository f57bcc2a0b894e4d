import type { MiddlewareHandler } from "hono";
import type { Env } from "../context.ts";
import { HttpProblem } from "../problem.ts";

const loopbackHosts = ["127.0.0.1", "[::1]", "localhost"];

/**
 * [TRUST 22] Rejects a request to another name than the server's own ones. With DNS rebinding, the pages of another site
 * can reach a server that listens on a loopback address, under the name of that site. A server that listens on a network
 * address is reached there anyway, so it accepts every name.
 */
export function requireKnownHost(listensOn: string, publicUrl: string | undefined): MiddlewareHandler<Env> {
  if (!loopbackHosts.includes(listensOn) && listensOn !== "::1") return (_c, next) => next();
  const known = new Set(loopbackHosts);
  if (publicUrl !== undefined) known.add(new URL(publicUrl).hostname);
  return (c, next) => {
    const hostname = parseHostname(c.req.header("host"));
    if (hostname === undefined || !known.has(hostname))
      throw new HttpProblem(
        "host-not-allowed",
        "This server does not serve the name in the header `Host`. If a proxy serves it under this name, set `identity.url` to its public address.",
      );
    return next();
  };
}

function parseHostname(host: string | undefined): string | undefined {
  const url = `http://${host}`;
  return host !== undefined && URL.canParse(url) ? new URL(url).hostname : undefined;
}
