import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { type Capability, CapabilityError } from "@paraph/core";
import type { ConformanceCase, ConformanceTest } from "../conformance-test.ts";
import type { AdapterCommand, LargeInputResult } from "./commands.ts";
import { createExecutionContext } from "./run-attempt.ts";

/** Applies one large input. Measures how much memory and time the call needs. */
export async function measureLargeInput(
  { capability: name, input, large = [] }: ConformanceCase,
  order: Extract<AdapterCommand, { kind: "large" }>,
  named: (name: string) => Capability,
  test: ConformanceTest,
): Promise<LargeInputResult> {
  const capability = named(name);
  await warmUp(capability, input, test);
  const started = performance.now();
  const before = readMaxMemory();
  const ended = await runLargeInput(capability, large[order.large]!, order.call, test);
  return { result: ended, grownBytes: readMaxMemory() - before, ms: performance.now() - started };
}

/**
 * Returns the maximum memory of the process so far, including memory that the process has since released. On Linux,
 * `resourceUsage` returns at least the memory of the process that started this one, which would hide a growth.
 */
function readMaxMemory(): number {
  if (process.platform !== "linux") return process.resourceUsage().maxRSS * 1024;
  const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
  return Number(kibibytes) * 1024;
}

/**
 * Loads every part that would otherwise be loaded at its first use, such as a parser, so that the measurement excludes
 * the loading. The function ignores faults, because other verifications report them.
 */
async function warmUp(
  capability: Capability,
  raw: ConformanceCase["input"],
  test: ConformanceTest,
): Promise<void> {
  const input = capability.parseInput(raw);
  if (input.kind === "invalid") return;
  const context = createExecutionContext(capability, { call: randomUUID(), attempt: 1 }, test, () => {});
  try {
    await capability.preview?.(input.value, context);
    if (capability.contract.effect === "read") await capability.apply(input.value, context);
  } catch (error) {
    if (!(error instanceof CapabilityError)) throw error;
  }
}

async function runLargeInput(
  capability: Capability,
  raw: NonNullable<ConformanceCase["large"]>[number],
  call: string,
  test: ConformanceTest,
): Promise<LargeInputResult["result"]> {
  const input = capability.parseInput(raw);
  if (input.kind === "invalid") return "refused";
  const context = createExecutionContext(capability, { call, attempt: 1 }, test, () => {});
  try {
    const basis = (await capability.preview?.(input.value, context))?.basis;
    await capability.apply(input.value, { ...context, basis });
    return "output";
  } catch (error) {
    if (error instanceof CapabilityError) return "fault";
    throw error;
  }
}
