import { isSignatureValid, ParaphError, type Signer, type Telemetry } from "@paraph/core";
import type { DeploymentSigner } from "../system/signer.ts";

/**
 * The bytes that Paraph signs to see whether the signer works. Signed bytes of receipts begin with `DSSEv1`, so this
 * signature is never one of a receipt.
 */
const probe = new TextEncoder().encode("Paraph checks its signer");

/** A signer whose failures are counted. `check` rejects while the last signature failed. */
interface WatchedSigner {
  readonly signer: Signer;
  check(): Promise<void>;
}

/**
 * Counts the failures of a signer. It starts the counter with 0, because Prometheus does not see the increase of a
 * counter that appears with its first failure. After a failure, each check signs again, so that the process becomes
 * ready without waiting for the next receipt.
 */
export function watchSigner(signer: Signer, telemetry: Telemetry): WatchedSigner {
  telemetry.measure("paraph.signature.failures", 0);
  let failing = false;
  const sign = async (bytes: Uint8Array) => {
    try {
      const signature = await signer.sign(bytes);
      failing = false;
      return signature;
    } catch (error) {
      failing = true;
      throw error;
    }
  };
  return {
    signer: {
      keyId: signer.keyId,
      sign: (bytes) =>
        sign(bytes).catch((error: unknown) => {
          telemetry.measure("paraph.signature.failures", 1);
          throw error;
        }),
    },
    async check() {
      if (failing) await sign(probe);
    },
  };
}

/** Throws unless the signer works, and one of its public keys verifies its signature. */
export async function requireWorkingSigner({ sign, keyId, publicKeys }: DeploymentSigner): Promise<void> {
  const key = publicKeys.find(({ kid }) => kid === keyId);
  if (!key)
    throw new ParaphError(
      "config-invalid",
      `The signer's \`keyId\` is \`${keyId}\`, which none of its \`publicKeys\` has. Take both from \`toPublicKey\`.`,
    );
  const signature = new Uint8Array(await sign(probe));
  if (!(await isSignatureValid(key, signature, probe)))
    throw new ParaphError(
      "config-invalid",
      "The signer's signature does not match its public key. It must be a plain Ed25519 signature of the given bytes, without a hash before it.",
    );
}
