import { CapabilityError, type Probe } from "@paraph/core";
import { withFileFaults } from "./file-fault.ts";

/**
 * Runs a probe. If a permanent fault prevents an answer, the result is `unsure`. The pipeline repeats the probe after
 * other faults.
 */
export async function runFileProbe(path: string, body: () => Promise<Probe>): Promise<Probe> {
  try {
    return await withFileFaults(path, body);
  } catch (error) {
    if (error instanceof CapabilityError && error.kind === "permanent") return { kind: "unsure" };
    throw error;
  }
}
