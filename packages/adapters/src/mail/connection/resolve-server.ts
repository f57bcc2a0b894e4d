import { lookup } from "node:dns/promises";
import { addressNotAllowed } from "../../egress/http-agents.ts";
import { getIpFamily } from "../../egress/ip-ranges.ts";
import type { ServerConfig } from "../config.ts";
import type { MailContext } from "../context.ts";
import { mailFault } from "./mail-fault.ts";

/** The address of a server, and the way to connect to it. */
export interface ResolvedServer {
  readonly address: string;
  readonly port: number;
  /** Whether the connection begins with TLS. Otherwise it begins with STARTTLS. */
  readonly secure: boolean;
  /** The name that the certificate of the server must contain. Undefined if it must contain the address. */
  readonly servername: string | undefined;
}

const defaultPorts: Readonly<Record<string, number>> = {
  "imaps:": 993,
  "imap:": 143,
  "smtps:": 465,
  "smtp:": 587,
};

/**
 * [TRUST 17] Resolves a server, and returns the first address that the egress policy allows. The clients connect to this
 * address, so a name that resolves differently the next time leads nowhere else.
 */
export async function resolveServer(
  { url }: ServerConfig,
  { egress }: Pick<MailContext, "egress">,
): Promise<ResolvedServer> {
  const { protocol, hostname, port: written } = new URL(url);
  const host = hostname.replaceAll(/^\[|\]$/g, "");
  const port = written === "" ? defaultPorts[protocol]! : Number(written);
  const isAddress = getIpFamily(host) !== undefined;
  const found = isAddress ? [{ address: host }] : await lookup(host, { all: true });
  const allowed = found.find(({ address }) => egress.allows(host, port, address));
  if (!allowed)
    throw mailFault(
      "permanent",
      addressNotAllowed,
      "The egress policy does not allow the address of the mail server. Add it to `allow` if it is yours.",
    );
  return {
    address: allowed.address,
    port,
    secure: protocol.endsWith("s:"),
    servername: isAddress ? undefined : host,
  };
}
