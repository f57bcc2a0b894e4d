import type { Signer, Telemetry } from "@paraph/core";

/**
 * Counts the failures of a signer. It starts the counter with 0, because Prometheus does not see the increase of a
 * counter that appears with its first failure.
 */
export function countSignatureFailures(signer: Signer, telemetry: Telemetry): Signer {
  telemetry.measure("paraph.signature.failures", 0);
  return {
    keyId: signer.keyId,
    sign: async (bytes) => {
      try {
        return await signer.sign(bytes);
      } catch (error) {
        telemetry.measure("paraph.signature.failures", 1);
        throw error;
      }
    },
  };
}
