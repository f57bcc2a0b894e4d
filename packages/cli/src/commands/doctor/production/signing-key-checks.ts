import { formatDuration } from "../../../lib/terminal/format-time.ts";
import { type CheckDefinition, fail, ok, skipped, warn } from "./production-check.ts";

const subject = "Signing key";
const maxAgeMs = 365 * 86_400_000;
const elsewhere = "the configuration names another signer, so the key is not in a file";

/** The signing key of this host, and what the other processes say about theirs. */
export interface SigningKeyFacts {
  /** Whether the configuration names another signer, such as Vault, so that no file holds the key. */
  readonly isElsewhere: boolean;
  /** The file, or undefined if none is configured. */
  readonly file: string | undefined;
  /** The id of the key, or undefined if the file does not exist or cannot be read. */
  readonly keyId: string | undefined;
  /** The ids of the keys that this host had before, which are in `previous/`. */
  readonly earlierKeyIds: readonly string[];
  /** The key files that other users can read. */
  readonly exposed: readonly string[];
  readonly ageMs: number;
  /** The id of the key with which the server signs, or undefined if the server did not answer. */
  readonly serverKeyId: string | undefined;
  /** The hosts that run processes of Paraph. */
  readonly hosts: number | undefined;
}

export const signingKeyChecks: readonly CheckDefinition<SigningKeyFacts>[] = [
  {
    ...{ subject, name: "file" },
    why: "Without the key, Paraph does not start. A reader of the key can forge receipts and approvals.",
    judge: ({ isElsewhere, file, keyId, exposed }) => {
      if (isElsewhere) return skipped(elsewhere);
      if (file === undefined)
        return fail(
          "no signing key is configured",
          "name its file in PARAPH_SIGNING_KEY or with `--signing-key`",
        );
      if (keyId === undefined)
        return fail(
          `${file} cannot be read`,
          "copy the key from a host that runs this Paraph, readable for the user of the service",
        );
      return exposed.length === 0
        ? ok("key file private")
        : fail(
            `other users can read ${exposed.join(", ")}`,
            `run \`chmod 600 ${exposed[0]}\`, and replace the key if untrusted users could have read it`,
          );
    },
  },
  {
    ...{ subject, name: "same key" },
    why: "Processes with different keys reject each other's approvals, and open calls end with `seal-invalid`.",
    judge: ({ isElsewhere, keyId, earlierKeyIds, serverKeyId, hosts = 1 }) => {
      if (isElsewhere) return skipped(elsewhere);
      const onHosts = hosts > 1 ? `. Paraph runs on ${hosts} hosts, so check each of them` : "";
      if (keyId === undefined) return skipped("the key of this host cannot be read");
      if (serverKeyId === undefined)
        return skipped(`the server did not say with which key it signs${onHosts}`);
      if (keyId === serverKeyId) return ok(`the server signs with it${onHosts}`);
      // Copying the server's key would undo the rotation.
      if (earlierKeyIds.includes(serverKeyId))
        return fail(
          `this host has the new key ${keyId}, and the server still signs with ${serverKeyId}`,
          "restart the processes of Paraph, on every host that has the new key",
        );
      return fail(
        `this host has the key ${keyId}, and the server signs with ${serverKeyId}`,
        "copy the server's key and `previous/` to this host, then restart the processes here",
      );
    },
  },
  {
    ...{ subject, name: "age" },
    why: "A new key limits what a copy of the old one can forge.",
    judge: ({ isElsewhere, keyId, ageMs }) => {
      if (isElsewhere) return skipped(elsewhere);
      if (keyId === undefined) return skipped("the key of this host cannot be read");
      return ageMs <= maxAgeMs
        ? ok(`${formatDuration(ageMs)} old`)
        : warn(`the file is ${formatDuration(ageMs)} old`, "replace the key (docs/operate/keys.md)");
    },
  },
];
