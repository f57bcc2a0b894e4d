import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { connect } from "node:tls";
import type { Config } from "@paraph/server";

/** When a certificate ends, or why it cannot be read. */
export type Certificate =
  | { readonly endsAt: number; readonly matchesKey: boolean }
  | { readonly unreadable: string };

/** Reads the certificate that Paraph serves itself, or returns undefined if none is configured. */
export function readOwnCertificate({ http }: Config, folder: string): Certificate | undefined {
  if (!http?.tls) return undefined;
  try {
    const certificate = new X509Certificate(readFileSync(resolve(folder, http.tls.certificate)));
    const key = createPrivateKey(readFileSync(resolve(folder, http.tls.key)));
    return { endsAt: Date.parse(certificate.validTo), matchesKey: certificate.checkPrivateKey(key) };
  } catch (error) {
    return { unreadable: (error as Error).message };
  }
}

const timeoutMs = 5_000;

/**
 * Fetches the certificate at a public address. It accepts every certificate and sends nothing, because it only reads
 * when the certificate ends.
 */
export function fetchCertificate(url: string): Promise<Certificate> {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  return new Promise((done) => {
    const socket = connect({
      ...{ host, port: Number(port || 443), rejectUnauthorized: false, timeout: timeoutMs },
      servername: /^[\d.]+$|:/.test(host) ? "" : host,
    });
    const end = (result: Certificate) => {
      socket.destroy();
      done(result);
    };
    socket.once("secureConnect", () =>
      end({ endsAt: Date.parse(socket.getPeerCertificate().valid_to), matchesKey: true }),
    );
    socket.once("timeout", () => end({ unreadable: "no answer" }));
    socket.once("error", (error: NodeJS.ErrnoException) => end({ unreadable: error.code ?? error.message }));
  });
}
