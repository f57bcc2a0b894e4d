import { type Capability, CapabilityError } from "@paraph/core";
import type { Case, Trial } from "../trial.ts";
import { worldOf } from "./attempted.ts";
import type { Order, Weighed } from "./order.ts";

/** Puts one large input through, and watches the memory meanwhile. */
export async function weighed(
  { capability: name, large = [] }: Case,
  order: Extract<Order, { kind: "large" }>,
  named: (name: string) => Capability,
  trial: Trial,
): Promise<Weighed> {
  const capability = named(name);
  const started = performance.now();
  const before = process.memoryUsage.rss();
  const ended = await endingOf(capability, large[order.large]!, order.call, trial);
  // The system keeps the highest mark itself, in KiB: nothing that was let go of in between is missed.
  const most = process.resourceUsage().maxRSS * 1024;
  return { ended, grownBytes: Math.max(0, most - before), ms: performance.now() - started };
}

async function endingOf(
  capability: Capability,
  raw: NonNullable<Case["large"]>[number],
  call: string,
  trial: Trial,
): Promise<Weighed["ended"]> {
  const input = capability.parseInput(raw);
  if (input.kind === "invalid") return "refused";
  const world = worldOf(capability, { call, attempt: 1 }, trial, () => {});
  try {
    const basis = (await capability.preview?.(input.value, world))?.basis;
    await capability.apply(input.value, { ...world, basis });
    return "output";
  } catch (error) {
    if (error instanceof CapabilityError) return "fault";
    throw error;
  }
}
