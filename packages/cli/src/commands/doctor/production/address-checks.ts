import { isLoopbackUrl } from "../../../lib/own-address.ts";
import { formatDuration } from "../../../lib/terminal/format-time.ts";
import type { Certificate } from "./certificate.ts";
import { type CheckDefinition, type Finding, fail, ok, skipped, warn } from "./production-check.ts";

const subject = "TLS";
const minValidMs = 14 * 86_400_000;

/** The addresses of the server, and their certificates. */
export interface AddressFacts {
  /** `identity.url` of the configuration. */
  readonly publicUrl: string | undefined;
  readonly publicCertificate: Certificate | undefined;
  /** The certificate of `http.tls`. */
  readonly ownCertificate: Certificate | undefined;
  readonly now: number;
}

export const addressChecks: readonly CheckDefinition<AddressFacts>[] = [
  {
    ...{ subject, name: "public address" },
    why: "Browsers send their session to this address, and login links begin with it.",
    judge: ({ publicUrl }) => {
      if (publicUrl === undefined)
        return warn("`identity.url` is not set", "set it to the https address at which people reach Paraph");
      if (publicUrl.startsWith("https:")) return ok(publicUrl);
      return isLoopbackUrl(publicUrl)
        ? warn(`${publicUrl} is only for this host`, "set `identity.url` to the https address of your proxy")
        : fail(
            `${publicUrl} is not encrypted`,
            "put a proxy with TLS in front of Paraph, and use its https address",
          );
    },
  },
  {
    ...{ subject, name: "certificate" },
    why: "After the end of the certificate, no browser and no agent can connect.",
    judge: ({ publicUrl, publicCertificate, now }) => {
      if (publicCertificate === undefined) return skipped("`identity.url` has no https address");
      return "unreadable" in publicCertificate
        ? skipped(
            `no certificate from ${publicUrl}: ${publicCertificate.unreadable}`,
            "run doctor where it is reachable",
          )
        : judgeEnd(publicCertificate.endsAt - now, "public certificate");
    },
  },
  {
    ...{ subject, name: "own certificate" },
    why: "Paraph reads `http.tls` when it starts, so renew the certificate and restart Paraph before it ends.",
    judge: ({ ownCertificate, now }) => {
      if (ownCertificate === undefined) return ok("no `http.tls`");
      if ("unreadable" in ownCertificate)
        return fail(
          `\`http.tls\` cannot be read: ${ownCertificate.unreadable}`,
          "correct the files of `http.tls`",
        );
      return ownCertificate.matchesKey
        ? judgeEnd(ownCertificate.endsAt - now, "own certificate")
        : fail("the key of `http.tls` does not belong to its certificate", "correct the files of `http.tls`");
    },
  },
];

function judgeEnd(ms: number, what: string): Finding {
  if (ms <= 0) return fail(`the ${what} ended ${formatDuration(-ms)} ago`, "renew it");
  return ms < minValidMs
    ? warn(`the ${what} ends in ${formatDuration(ms)}`, "renew it")
    : ok(`${what} valid for ${formatDuration(ms)}`);
}
