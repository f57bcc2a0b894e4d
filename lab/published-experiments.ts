import type { LabEngine } from "./lab.ts";

/** The experiments that run Paraph processes on an engine, in the order of docs/proof.md. */
export const engineExperiments = [
  ...(["crash-points", "effects", "storm", "locks"] as const),
  ...(["freeze", "limits", "clock", "failover", "outage", "restore", "upgrade"] as const),
] as const;

/**
 * The experiments whose newest result docs/proof.md prints, in its order. The page also lists experiments without a
 * result.
 */
export const publishedExperiments = [
  ...engineExperiments,
  "channels",
  "partition",
  "injection",
  "policy-closures",
  "mutations",
] as const;

/** Returns the name of the file with the result of an experiment, which has one for each engine. */
export const toResultName = (experiment: string, engine: LabEngine): string =>
  engine === "restate" ? `${experiment}-restate` : experiment;
