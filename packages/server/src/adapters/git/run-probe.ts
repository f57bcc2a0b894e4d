import { CapabilityError, type Probe } from "@paraph/core";

/** What stands in the way of an answer is no answer: neither yes nor no. What passes by itself is asked again. */
export async function runGitProbe(body: () => Promise<Probe>): Promise<Probe> {
  try {
    return await body();
  } catch (error) {
    if (error instanceof CapabilityError && error.kind === "permanent") return { kind: "unsure" };
    throw error;
  }
}
