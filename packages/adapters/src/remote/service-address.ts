import { ParaphError } from "@paraph/core";

export interface ServiceAddress {
  readonly origin: string;
  /** The path before `/paraph/v1/`. It is empty or a path such as `/below/this`. */
  readonly base: string;
}

/**
 * [TRUST 17] Parses the address of a service. Paraph connects only to the origin that the operator names, which may be
 * private, and follows no redirects. Messages are signed but not encrypted. A service on another machine therefore
 * needs TLS unless the operator allows plain HTTP.
 */
export function parseServiceAddress(name: string, url: string, allowHttp: boolean): ServiceAddress {
  const fault = (what: string) => new ParaphError("adapter-invalid", `\`${name}\`: \`url\` ${what}.`);
  const parsed = URL.parse(url);
  if (!parsed || !["https:", "http:"].includes(parsed.protocol))
    throw fault("must be the URL of the service, such as `https://…`");
  const { protocol, hostname, username, password, search, hash } = parsed;
  if (username || password || search || hash) throw fault("must not contain a user, `?` or `#`");
  if (protocol === "http:" && !allowHttp && !isLoopback(hostname))
    throw fault("uses plain HTTP to another machine. Use `https://`, or set `allowHttp: true`");
  return { origin: parsed.origin, base: parsed.pathname.replace(/\/+$/, "") };
}

/** Whether the host is loopback. The URL parser has already normalized other spellings of a loopback address. */
function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
