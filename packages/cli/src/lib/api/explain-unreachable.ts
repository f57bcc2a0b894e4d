export interface UnreachableReason {
  /** The cause, as the end of a sentence. */
  readonly reason: string;
  /** The remedy, as an imperative sentence without its capital letter and full stop. */
  readonly advice: string;
}

const checkAddress = "check `--url` and PARAPH_URL";

const reasons: readonly (readonly [codes: RegExp, reason: string, advice: string])[] = [
  [
    /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?|CERT_UNTRUSTED)$/,
    "its TLS certificate is not trusted",
    "set NODE_EXTRA_CA_CERTS=FILE, where FILE contains the certificate of its authority in PEM format",
  ],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    "its TLS certificate is for another host name",
    `use a host name that the certificate contains: ${checkAddress}`,
  ],
  [
    /^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/,
    "its TLS certificate has expired or is not valid yet",
    "renew the certificate, or correct this machine's clock",
  ],
  [
    /^(EPROTO|ERR_SSL_.*)$/,
    "the TLS handshake failed",
    "if the server does not use TLS, write the address with `http://`",
  ],
  [
    /^ECONNREFUSED$/,
    "the connection was refused",
    `start the server, for example with \`paraph dev\`, or ${checkAddress}`,
  ],
  [/^(ENOTFOUND|EAI_AGAIN)$/, "the host name was not found", `${checkAddress}, and this machine's DNS`],
  [/^(EHOSTUNREACH|ENETUNREACH)$/, "there is no route to the host", "check the network and the VPN"],
  [
    /^(ETIMEDOUT|UND_ERR_\w+_TIMEOUT|TimeoutError)$/,
    "the request timed out",
    "check the server's log, and the firewall between this machine and the server",
  ],
  [
    /^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/,
    "the connection was closed without a response",
    "if the server uses TLS, write the address with `https://`; otherwise check the server's log",
  ],
  [/^bad port$/, "browsers and Node block its port", "let the server listen on another port"],
  [
    /^unexpected redirect$/,
    "it redirects to another address",
    "use the address that it redirects to, because Paraph never sends an API key to a redirect's target",
  ],
];

/**
 * Explains why a request got no response. Accepts errors of `fetch` and of `node:http`. `fetch` hides the system's
 * error in `cause`.
 */
export function explainUnreachable(error: unknown): UnreachableReason {
  const names: string[] = [];
  for (let at = error; at instanceof Error; at = at.cause)
    names.push(String((at as NodeJS.ErrnoException).code), at.name, at.message);
  for (const [codes, reason, advice] of reasons) {
    const name = names.find((each) => codes.test(each));
    if (name !== undefined)
      return { reason: /^[A-Z_]+$/.test(name) ? `${reason} (${name})` : reason, advice };
  }
  return { reason: "it gave no response", advice: `start it with \`paraph dev\`, or ${checkAddress}` };
}

/** Formats the reason and the advice as sentences. */
export function formatUnreachable(url: string, error: unknown): string {
  const { reason, advice } = explainUnreachable(error);
  return `Paraph cannot be reached at ${url}: ${reason}. ${advice[0]!.toUpperCase()}${advice.slice(1)}.`;
}
