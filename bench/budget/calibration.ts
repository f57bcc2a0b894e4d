import { createHash } from "node:crypto";

/** The processor time of one pass on the machine to whose speed all figures are scaled. */
const referenceMs = 100;

/**
 * Returns the factor by which this machine is faster than the reference, by the processor time of a fixed task. Machines
 * of one kind differ, and a busy core is slower.
 */
export function measureSpeed(): number {
  const before = process.cpuUsage();
  let text = "";
  for (let n = 0; n < 48_000; n++) {
    text = JSON.stringify({ n, text, list: [n, n + 1, n + 2] }).slice(-200);
    text = createHash("sha256").update(text).digest("hex");
  }
  const { user, system } = process.cpuUsage(before);
  return referenceMs / ((user + system) / 1_000);
}
