import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { radicalePassword } from "./radicale.ts";

/** A proxy before Radicale that accepts access tokens instead of the password. */
export interface BearerProxy extends AsyncDisposable {
  readonly host: string;
  /** Called after Radicale performed a write. Afterwards, the answer arrives without an ETag, as some servers answer. */
  afterWrite: (() => Promise<void>) | undefined;
  /** The status of the answer to a token that is not valid. */
  refusalStatus: number;
}

/** Starts the proxy. `isValid` verifies an access token. */
export async function startBearerProxy(
  radicale: { readonly host: string },
  isValid: (token: string) => Promise<boolean>,
): Promise<BearerProxy> {
  const authorization = `Basic ${Buffer.from(`paraph:${radicalePassword}`).toString("base64")}`;
  const server = createServer(async (incoming, outgoing) => {
    const token = /^Bearer (.+)$/.exec(incoming.headers.authorization ?? "")?.[1] ?? "";
    const body = Buffer.concat(await incoming.toArray());
    // Echoes the token, as a careless server does.
    if (!(await isValid(token)))
      return outgoing.writeHead(proxy.refusalStatus).end(`The token ${token} is not valid.`);
    const { method, headers, url } = incoming;
    const forwarded = request(`http://${radicale.host}${url}`, {
      ...(method !== undefined && { method }),
      headers: { ...headers, authorization },
    });
    forwarded.on("response", async (answered) => {
      const content = Buffer.concat(await answered.toArray());
      const { etag, ...rest } = answered.headers;
      const intercept = method === "PUT" ? proxy.afterWrite : undefined;
      await intercept?.();
      const kept = intercept || etag === undefined ? rest : { ...rest, etag };
      outgoing.writeHead(answered.statusCode ?? 502, kept).end(content);
    });
    forwarded.on("error", () => outgoing.destroy());
    forwarded.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const proxy: BearerProxy = {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    afterWrite: undefined,
    refusalStatus: 401,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}
