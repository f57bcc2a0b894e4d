import { CapabilityError, type Probe } from "@paraph/core";

/**
 * Runs a probe. Returns `unsure` if a permanent fault prevents an answer. Throws other faults, so that the pipeline
 * repeats the probe.
 */
export async function runGitProbe(body: () => Promise<Probe>): Promise<Probe> {
  try {
    return await body();
  } catch (error) {
    if (error instanceof CapabilityError && error.kind === "permanent") return { kind: "unsure" };
    throw error;
  }
}
