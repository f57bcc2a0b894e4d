import { randomUUID } from "node:crypto";
import { type Capability, CapabilityError } from "@paraph/core";
import type { Case, Trial } from "../trial.ts";
import { worldOf } from "./attempted.ts";
import type { Order, Weighed } from "./order.ts";

/** Puts one large input through, and watches the memory meanwhile. */
export async function weighed(
  { capability: name, input, large = [] }: Case,
  order: Extract<Order, { kind: "large" }>,
  named: (name: string) => Capability,
  trial: Trial,
): Promise<Weighed> {
  const capability = named(name);
  await warmUp(capability, input, trial);
  const started = performance.now();
  const before = highestMark();
  const ended = await endingOf(capability, large[order.large]!, order.call, trial);
  return { ended, grownBytes: highestMark() - before, ms: performance.now() - started };
}

/** The system keeps it itself, in KiB: nothing that was let go of in between is missed. */
function highestMark(): number {
  return process.resourceUsage().maxRSS * 1024;
}

/** What is loaded at the first use, a parser say, is not what one call takes. Whether this works is for others to say. */
async function warmUp(capability: Capability, raw: Case["input"], trial: Trial): Promise<void> {
  const input = capability.parseInput(raw);
  if (input.kind === "invalid") return;
  const world = worldOf(capability, { call: randomUUID(), attempt: 1 }, trial, () => {});
  try {
    await capability.preview?.(input.value, world);
    if (capability.contract.effect === "read") await capability.apply(input.value, world);
  } catch (error) {
    if (!(error instanceof CapabilityError)) throw error;
  }
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
