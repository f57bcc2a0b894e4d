import { ParaphError } from "@paraph/core";

export interface ServiceAddress {
  readonly origin: string;
  /** What comes before `/paraph/v1/`: empty, or `/below/this`. */
  readonly base: string;
}

/**
 * [TRUST 17] The operator names the one origin that is asked, and it may be a private one; no redirect leads anywhere else.
 * What is signed is not hidden: beyond this machine it goes through TLS, unless the operator says that the way is safe.
 */
export function parseServiceAddress(name: string, url: string, allowHttp: boolean): ServiceAddress {
  const fault = (what: string) => new ParaphError("adapter-invalid", `\`${name}\`: \`url\` ${what}.`);
  const parsed = URL.parse(url);
  if (!parsed || !["https:", "http:"].includes(parsed.protocol))
    throw fault("is where the service is: `https://…`");
  const { protocol, hostname, username, password, search, hash } = parsed;
  if (username || password || search || hash) throw fault("is an address alone: no user, `?` or `#`");
  if (protocol === "http:" && !allowHttp && !isLoopback(hostname))
    throw fault("goes over plain HTTP to another machine: use `https://`, or say `allowHttp: true`");
  return { origin: parsed.origin, base: parsed.pathname.replace(/\/+$/, "") };
}

/** As URLs write them: other spellings of these addresses have become these. */
function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
