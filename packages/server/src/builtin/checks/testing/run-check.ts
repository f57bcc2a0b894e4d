import {
  type Capability,
  type CheckInput,
  type CheckResult,
  type Contract,
  defineCapability,
  type ExecutionContext,
  type Json,
} from "@paraph/core";
import { z } from "zod";
import { type ChecksOptions, createBuiltinChecks, type UsageHistory } from "../index.ts";

export type CheckRunResult = Omit<CheckResult, "check">;

/** The checks as a process has them, by the part of their name after `check.`. */
export function createTestChecks({
  options = {},
  contracts = [mailCapability.contract],
  history = { of: async () => ({ sizes: [], thisHour: 1, earlierHours: [] }) },
}: {
  options?: ChecksOptions;
  contracts?: readonly Contract[];
  history?: UsageHistory;
} = {}) {
  const made = createBuiltinChecks(options, {
    contractOf: (name) => contracts.find((contract) => contract.name === name),
    history,
  });
  const byName = new Map(made.map((check) => [check.contract.name.replace("check.", ""), check]));
  return {
    names: [...byName.keys()],
    /** As the pipeline runs one: input and output through the contract. */
    judge: (
      what: string,
      input: Json,
      over: Partial<CheckInput> = {},
      world: Partial<ExecutionContext> = {},
    ) => runCheck(byName.get(what)!, input, over, world),
  };
}

async function runCheck(
  check: Capability,
  input: Json,
  over: Partial<CheckInput>,
  world: Partial<ExecutionContext>,
): Promise<CheckRunResult> {
  const about = {
    call: "call_1",
    capability: "mail.send",
    principal: "bot",
    effect: "write",
    input,
    ...over,
  };
  const parsed = check.parseInput(about as unknown as Json);
  if (parsed.kind === "invalid") throw new Error(parsed.faults.join("; "));
  const raw = await check.apply(parsed.value, createCheckContext(world));
  const output = check.parseOutput(raw);
  if (output.kind === "invalid") throw new Error(output.faults.join("; "));
  return output.value as unknown as CheckRunResult;
}

function createCheckContext(over: Partial<ExecutionContext>): ExecutionContext {
  return {
    tenant: "acme",
    principal: { tenant: "acme", id: "bot", kind: "agent" },
    approvers: [],
    call: "call_1",
    key: "call_1",
    attempt: 1,
    basis: undefined,
    signal: new AbortController().signal,
    credential: async (name) => `the value of ${name}`,
    progress: () => {},
    ...over,
  };
}

/** What most tests pretend is being called. */
export const mailCapability = defineCapability({
  name: "mail.send",
  version: 1,
  summary: "Send a mail",
  effect: "write",
  idempotency: "none",
  input: z.looseObject({ to: z.string(), password: z.string().optional(), bank: z.string().optional() }),
  output: z.object({}),
  sensitive: ["password", "bank"],
  apply: async () => ({}),
});

/** So deep, in arrays and objects by turns, with a text at the bottom. */
export function createNestedInput(depth: number, bottom: string): Json {
  let value: Json = bottom;
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { level: value };
  return value;
}

/**
 * How many times the processor time of a text a text takes that is eight times as long: 8 where the work is proportional to the
 * length, 64 where it grows with its square. A ratio, because the time itself depends on the machine and on what else runs
 * there: the best of three is taken of each.
 */
export async function measureGrowth(
  filling: string,
  read: (text: string) => Promise<unknown>,
): Promise<number> {
  const text = (length: number) => filling.repeat(Math.ceil(length / filling.length));
  const [short, long] = [text(50_000), text(400_000)];
  // Warm, so that neither pays for compilation.
  await read(short);
  // Less than a millisecond is too little to compare with.
  return (await measureCpuMs(() => read(long))) / Math.max(1, await measureCpuMs(() => read(short)));
}

/** What `growth` stays below: between 8 and 64, and far from both. */
export const maxGrowth = 32;

/** Milliseconds of processor time in all threads, the best of three. */
async function measureCpuMs(body: () => Promise<unknown>): Promise<number> {
  const rounds: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const before = process.cpuUsage();
    await body();
    const { user, system } = process.cpuUsage(before);
    rounds.push((user + system) / 1_000);
  }
  return Math.min(...rounds);
}
