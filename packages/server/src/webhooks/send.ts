import { lookup as resolve } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { Agent, request } from "undici";
import { mayBeReached } from "./addresses.ts";

export interface Sender {
  /** Undefined: taken. Otherwise a code that says why not; never the receiver's own words. */
  send(
    url: string,
    headers: Record<string, string>,
    body: string,
    signal: AbortSignal,
  ): Promise<string | undefined>;
  close(): Promise<void>;
}

const patienceMs = 15_000;

/**
 * [TRUST 17] The address is looked at when the connection is made, not before: a name that changes its mind in between is
 * no way in. Redirects are not followed, and what the receiver answers is not read.
 */
export function senderTo({ allowLoopback }: { readonly allowLoopback: boolean }): Sender {
  const agent = new Agent({
    connect: { lookup: onlyReachable(allowLoopback), timeout: 5_000 },
    headersTimeout: patienceMs,
    bodyTimeout: patienceMs,
  });
  return {
    async send(url, headers, body, signal) {
      const host = new URL(url).hostname.replace(/^\[|\]$/g, "");
      if (isIP(host) !== 0 && !mayBeReached(host, allowLoopback)) return "address-not-allowed";
      try {
        const response = await request(url, {
          ...{ dispatcher: agent, method: "POST", body },
          headers: { ...headers, "content-type": "application/cloudevents+json", "user-agent": "paraph" },
          signal: AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]),
        });
        await response.body.dump({ limit: 65_536, signal }).catch(() => {});
        const { statusCode } = response;
        return statusCode >= 200 && statusCode < 300 ? undefined : `http-${statusCode}`;
      } catch (error) {
        return codeIn(error);
      }
    },
    close: () => agent.destroy(),
  };
}

function onlyReachable(allowLoopback: boolean): LookupFunction {
  return (hostname, options, done) =>
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, "");
      const allowed = addresses.filter(({ address }) => mayBeReached(address, allowLoopback));
      const [first] = allowed;
      if (!first) return done(Object.assign(new Error("not allowed"), { code: "address-not-allowed" }), "");
      return options.all ? done(null, allowed) : done(null, first.address, first.family);
    });
}

function codeIn(error: unknown): string {
  const code = (error as { code?: unknown }).code;
  if (typeof code === "string" && /^[A-Za-z0-9_-]{1,40}$/.test(code))
    return code.toLowerCase().replaceAll("_", "-");
  return (error as Error).name === "TimeoutError" ? "timeout" : "not-sent";
}
