import {
  type Capability,
  type Health,
  type ObservationPage,
  type OpenAdapter,
  ParaphError,
} from "@paraph/core";
import type { ConformanceTest, Fixture } from "../conformance-test.ts";
import { loadConformanceTest } from "../load-conformance-test.ts";
import { closeAdapter } from "./close-adapter.ts";
import type { AdapterCommand, CommandResult, OfferedCapability, OpenedAdapter } from "./commands.ts";
import { measureLargeInput } from "./measure-large-input.ts";
import { recordResult } from "./record-result.ts";
import { createCredentialReader, requireInput, runAttempt } from "./run-attempt.ts";
import { scheduleKill } from "./schedule-kill.ts";

/** Runs commands on the adapter that is open in this process. */
export interface CommandRunner {
  run(order: Exclude<AdapterCommand, { kind: "open" }>): Promise<CommandResult>;
}

type OpenCommand = Extract<AdapterCommand, { kind: "open" }>;

export async function openCommandRunner(
  order: OpenCommand,
  atStart: readonly string[],
): Promise<{ stage: CommandRunner | undefined; ending: CommandResult<OpenedAdapter> }> {
  let stage: CommandRunner | undefined;
  const ending = await recordResult(async () => {
    const test = await loadConformanceTest(order.test);
    const adapter = await openAdapter(test, order.fixture);
    const capabilities = await adapter.capabilities();
    stage = createCommandRunner(test, adapter, capabilities, atStart);
    return {
      value: { offers: capabilities.map(toOfferedCapability), canObserve: adapter.observe !== undefined },
    };
  });
  return { stage, ending };
}

async function openAdapter(test: ConformanceTest, fixture: Fixture): Promise<OpenAdapter> {
  const adapter = typeof test.adapter === "function" ? test.adapter(fixture) : test.adapter;
  return adapter.open({
    name: test.name,
    folder: fixture.folder,
    signal: AbortSignal.timeout(maxOperationMs),
    credential: createCredentialReader(test),
    announceChange: () => {},
  });
}

/** A limit for hangs. It is shorter than the limit of a command, so that the adapter can report the timeout. */
const maxOperationMs = 45_000;

function toOfferedCapability({ contract, contractDigest, undo }: Capability): OfferedCapability {
  return { contract, digest: contractDigest, canUndo: undo !== undefined };
}

function createCommandRunner(
  test: ConformanceTest,
  adapter: OpenAdapter,
  capabilities: readonly Capability[],
  atStart: readonly string[],
): CommandRunner {
  const named = (name: string): Capability => {
    const found = capabilities.find(({ contract }) => contract.name === name);
    if (!found) throw new ParaphError("capability-unknown", `The adapter does not offer \`${name}\`.`);
    return found;
  };
  const carryOut: CommandRunner["run"] = (order) =>
    recordResult(async (say) => {
      switch (order.kind) {
        case "preview":
        case "apply":
        case "probe":
          return runAttempt(order.kind, named(order.capability), order, test, say);
        case "die": {
          const begin = order.afterMs === undefined ? undefined : await scheduleKill(order.afterMs);
          return runAttempt("apply", named(order.capability), order, test, say, begin);
        }
        case "undo": {
          const capability = named(order.capability);
          return { value: capability.undo?.(requireInput(capability, order.input), order.output) ?? null };
        }
        case "large":
          return { value: await measureLargeInput(test.cases[order.case]!, order, named, test) };
        case "health":
          return { value: await readHealth(adapter) };
        case "observe":
          return { value: await readObservations(adapter, order.cursor, test) };
        case "close":
          return { value: await closeAdapter(adapter, atStart) };
      }
    });
  return { run: carryOut };
}

async function readHealth(adapter: OpenAdapter): Promise<Health> {
  return (await adapter.health?.(AbortSignal.timeout(maxOperationMs))) ?? { kind: "well" };
}

async function readObservations(
  adapter: OpenAdapter,
  cursor: string | undefined,
  test: ConformanceTest,
): Promise<ObservationPage> {
  const signal = AbortSignal.timeout(maxOperationMs);
  return adapter.observe!(cursor, {
    tenant: "conformance",
    signal,
    credential: createCredentialReader(test),
  });
}
