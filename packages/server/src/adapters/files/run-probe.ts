import { CapabilityError, type Probe } from "@paraph/core";
import { withFileFaults } from "./file-fault.ts";

/** What stands in the way of an answer is no answer: neither yes nor no. What passes by itself is asked again. */
export async function runFileProbe(path: string, body: () => Promise<Probe>): Promise<Probe> {
  try {
    return await withFileFaults(path, body);
  } catch (error) {
    if (error instanceof CapabilityError && error.kind === "permanent") return { kind: "unsure" };
    throw error;
  }
}
