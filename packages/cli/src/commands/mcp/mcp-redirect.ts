import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** Where the issuer sends the browser back to: this machine alone can be reached here, and only while somebody logs in. */
export interface RedirectListener extends AsyncDisposable {
  readonly url: URL;
  /** Settles with the first answer that is ours. Whatever else comes, from any page, is turned away and changes nothing. */
  waitForAnswer(isOurs: (query: URLSearchParams) => boolean, signal: AbortSignal): Promise<URLSearchParams>;
}

/** `port`: 0 for any that is free. */
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

/** Nothing unless a browser was sent to exactly this place: a name that leads here is another host. */
function readQuery({ method, headers: { host }, url = "" }: IncomingMessage, own: URL) {
  if (method !== "GET" || host !== own.host || !URL.canParse(url, own.href)) return undefined;
  const { pathname, searchParams } = new URL(url, own);
  return pathname === own.pathname ? searchParams : undefined;
}

const headers = {
  "content-type": "text/plain; charset=utf-8",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  // The address of this page has the code in it.
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
  connection: "close",
};
const successPage = "Back at Paraph: the terminal says how it went. You can close this page.\n";
const rejectedPage = "This is no answer to the login that is under way.\n";
