import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** A listener for the issuer's redirect. It is reachable only from this machine and only during a login. */
export interface RedirectListener extends AsyncDisposable {
  readonly url: URL;
  /**
   * Resolves with the query of the first response to this login. The listener rejects all other requests, and they
   * change nothing.
   */
  waitForAnswer(isOurs: (query: URLSearchParams) => boolean, signal: AbortSignal): Promise<URLSearchParams>;
}

/** Starts the listener. Port 0 selects any free port. */
export async function listenForRedirect(port: number): Promise<RedirectListener> {
  let isOurs: (query: URLSearchParams) => boolean = () => false;
  const { promise, resolve, reject } = Promise.withResolvers<URLSearchParams>();
  promise.catch(() => {});
  const server = createServer((request, response) => {
    const query = readQuery(request, url);
    const good = query !== undefined && isOurs(query);
    response.writeHead(good ? 200 : 400, headers).end(good ? successPage : rejectedPage, () => {
      if (good) resolve(query);
    });
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`);
  return {
    url,
    waitForAnswer: (ours, signal) => {
      isOurs = ours;
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      return promise;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

/**
 * Returns the query if the request is for exactly this host and path. Another host name that resolves to this machine
 * does not match.
 */
function readQuery({ method, headers: { host }, url = "" }: IncomingMessage, own: URL) {
  if (method !== "GET" || host !== own.host || !URL.canParse(url, own.href)) return undefined;
  const { pathname, searchParams } = new URL(url, own);
  return pathname === own.pathname ? searchParams : undefined;
}

const headers = {
  "content-type": "text/plain; charset=utf-8",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  // The URL of this page contains the authorization code, so the browser must not send the URL to other sites.
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
  connection: "close",
};
const successPage = "Paraph received the response. The terminal shows the result. You can close this page.\n";
const rejectedPage =
  "This is not a response to the current login. Open the address that the terminal shows.\n";
