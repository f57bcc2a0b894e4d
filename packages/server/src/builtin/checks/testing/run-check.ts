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

/**
 * Creates the built-in checks as a server process does. Tests select a check by the part of its name after `check.`.
 */
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
    /** Runs a check as the pipeline does: it parses the input and the output by the contract. */
    judge: (
      what: string,
      input: Json,
      over: Partial<CheckInput> = {},
      context: Partial<ExecutionContext> = {},
    ) => runCheck(byName.get(what)!, input, over, context),
  };
}

async function runCheck(
  check: Capability,
  input: Json,
  over: Partial<CheckInput>,
  context: Partial<ExecutionContext>,
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
  const raw = await check.apply(parsed.value, createCheckContext(context));
  const output = check.parseOutput(raw);
  if (output.kind === "invalid") throw new Error(output.faults.join("; "));
  return output.value as unknown as CheckRunResult;
}

function createCheckContext(context: Partial<ExecutionContext>): ExecutionContext {
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
    ...context,
  };
}

/** The capability whose calls most tests check. */
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

/** Nests arrays and objects alternately to this depth, with a text at the bottom. */
export function createNestedInput(depth: number, bottom: string): Json {
  let value: Json = bottom;
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { level: value };
  return value;
}

/**
 * Returns the processor time for a long text, divided by the time for a text of an eighth of its length. The ratio is 8
 * for linear work and 64 for quadratic work. A time alone would depend on the machine and its load. Each time is the
 * best of three.
 */
export async function measureGrowth(
  filling: string,
  read: (text: string) => Promise<unknown>,
): Promise<number> {
  const text = (length: number) => filling.repeat(Math.ceil(length / filling.length));
  const [short, long] = [text(50_000), text(400_000)];
  // The first run warms up, so that neither measurement includes compilation.
  await read(short);
  // A time below a millisecond is too short to compare with.
  return (await measureCpuMs(() => read(long))) / Math.max(1, await measureCpuMs(() => read(short)));
}

/** The highest accepted result of `measureGrowth`. It lies between 8 and 64 and is far from both. */
export const maxGrowth = 32;

/** Measures the processor time of all threads in milliseconds, as the best of three runs. */
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
