import { isIP } from "node:net";
import { TLSSocket } from "node:tls";
import type { Client } from "pg";

/** The protection of the connection to PostgreSQL. */
export interface Encryption {
  readonly path: "socket" | "loopback" | "network";
  /** The version of TLS, or undefined if the connection is not encrypted. */
  readonly protocol?: string;
  /** Whether the client verified the certificate of the server. */
  readonly verified: boolean;
}

export function readEncryption(client: Client): Encryption {
  const { stream } = client.connection;
  const remote = "remoteAddress" in stream ? String(stream.remoteAddress ?? "") : "";
  const path = isIP(remote) === 0 ? "socket" : isLoopback(remote) ? "loopback" : "network";
  if (!(stream instanceof TLSSocket)) return { path, verified: false };
  return { path, protocol: stream.getProtocol() ?? "TLS", verified: stream.authorized };
}

function isLoopback(address: string): boolean {
  return address === "::1" || /^(?:::ffff:)?127\./.test(address);
}
