import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { type Capability, CapabilityError, type ExecutionContext } from "@paraph/core";
import {
  type CapabilityFaults,
  createPutCapability,
  createRepeatableCapability,
  type SampleInput,
  type SampleStore,
  waitForStop,
} from "./sample-store.ts";

/**
 * The verification that must find the single fault of each capability, or undefined for a capability without faults.
 */
export const expectedFailures: Readonly<Record<string, string | undefined>> = {
  "shelf.sound": undefined,
  "shelf.sound_natural": undefined,
  "shelf.sound_keyed": undefined,
  "shelf.does_nothing": "reset",
  "shelf.output_unfit": "apply",
  "shelf.preview_writes": "preview",
  "shelf.preview_by_process": "preview-again",
  "shelf.basis_still": "basis",
  "shelf.basis_ignored": "basis-moved",
  "shelf.natural_adds": "idempotency",
  "shelf.key_in_memory": "idempotency",
  "shelf.probe_lies": "idempotency",
  "shelf.crash_lies": "crash",
  "shelf.crash_loses": "crash",
  "shelf.undo_forgets": "undo",
  "shelf.deadline_ignored": "deadline",
  "shelf.child_left": "deadline",
  "shelf.grandchild_left": "deadline",
  "shelf.code_tells": "sensitive",
  "shelf.progress_tells": "sensitive",
  "shelf.print_tells": "sensitive",
  "shelf.output_tells": "sensitive",
  "shelf.large_chokes": "large",
  "shelf.large_hogs": "large",
};

/** The correct pin. Other pins are refused, and the faulty capabilities leak them. */
export const correctPin = "open-sesame";

/**
 * The pause between the two halves of a step that should be atomic. It is long enough for some crashes to fall into it.
 */
const halfwayPauseMs = 150;

export function createMutatedCapabilities(shelf: SampleStore): Capability[] {
  const answered = new Set<string>();
  const faults: Record<string, (name: string) => CapabilityFaults> = {
    sound: () => ({ sensitive: ["pin"] }),
    does_nothing: () => ({ apply: async ({ text }) => ({ text }) }),
    output_unfit: (name) => ({
      apply: async ({ text }, { basis }) => {
        await shelf.setItemWithBasis(basis, name, text);
        return { text, more: true };
      },
    }),
    preview_writes: () => ({
      preview: async () => {
        await shelf.addStain();
        return { changes: [], basis: null };
      },
    }),
    preview_by_process: (name) => ({
      preview: async () => ({ changes: [], basis: `${process.pid}` }),
      apply: applyWithoutBasis(shelf, name),
    }),
    basis_still: (name) => ({
      preview: async () => ({ changes: [], basis: null }),
      apply: applyWithoutBasis(shelf, name),
    }),
    basis_ignored: (name) => ({ apply: applyWithoutBasis(shelf, name) }),
    probe_lies: () => ({ probe: async () => ({ kind: "absent" }) }),
    // Records the key before the effect, and takes the record for proof of the effect.
    crash_lies: (name) => ({
      apply: async ({ text }, { basis, call }) => {
        await shelf.recordKey(call);
        await pause(halfwayPauseMs);
        await shelf.setItemWithBasis(basis, name, text);
        return { text };
      },
      probe: async ({ text }, { call }) =>
        (await shelf.hasKey(call)) ? { kind: "present", output: { text } } : { kind: "absent" },
    }),
    undo_forgets: () => ({ undo: () => ({ capability: "shelf.sound", input: { text: null } }) }),
    deadline_ignored: (name) => createSlowFault(shelf, name, () => pause(60_000)),
    child_left: (name) =>
      createSlowFault(shelf, name, async ({ signal }) => {
        spawn("sleep", ["60"], { stdio: "ignore" });
        await waitForStop(signal);
      }),
    // The grandchild has its own session and an empty environment, and its parent dies first.
    grandchild_left: (name) =>
      createSlowFault(shelf, name, async ({ signal }) => {
        const shell = spawn("sh", ["-c", "sleep 60 & wait"], { stdio: "ignore", detached: true, env: {} });
        await waitForStop(signal).catch(() => shell.kill("SIGKILL"));
        await once(shell, "exit");
        await waitForStop(signal);
      }),
    code_tells: (name) =>
      createPinFault(shelf, name, (pin) => {
        throw new CapabilityError("permanent", `not-${pin}`, "It is another one.");
      }),
    progress_tells: (name) =>
      createPinFault(shelf, name, (pin, world) => world.progress({ message: `trying ${pin}` })),
    print_tells: (name) => createPinFault(shelf, name, (pin) => void process.stderr.write(`trying ${pin}\n`)),
    output_tells: (name) => createPinFault(shelf, name, (pin) => pin),
    large_chokes: (name) =>
      createLargeFault(shelf, name, () => {
        throw new RangeError("Invalid string length");
      }),
    large_hogs: (name) => createLargeFault(shelf, name, () => Buffer.alloc(640 * 1024 * 1024, 1)),
  };
  return [
    ...Object.entries(faults).map(([verb, faulty]) =>
      createPutCapability(shelf, `shelf.${verb}`, faulty(`shelf.${verb}`)),
    ),
    createRepeatableCapability("natural", "shelf.sound_natural", (text) => shelf.setItem("natural", text)),
    createRepeatableCapability("natural", "shelf.natural_adds", (text) => shelf.addItem(text)),
    createRepeatableCapability("keyed", "shelf.sound_keyed", async (text, key) => {
      if (!(await shelf.hasKey(key))) await shelf.addItem(text, key);
    }),
    createRepeatableCapability("keyed", "shelf.key_in_memory", async (text, key) => {
      if (!answered.has(key)) await shelf.addItem(text);
      answered.add(key);
    }),
    // Records the key before it has done anything.
    createRepeatableCapability("keyed", "shelf.crash_loses", async (text, key) => {
      if (await shelf.hasKey(key)) return;
      await shelf.recordKey(key);
      await pause(halfwayPauseMs);
      await shelf.addItem(text);
    }),
  ];
}

function applyWithoutBasis(shelf: SampleStore, name: string): NonNullable<CapabilityFaults["apply"]> {
  return async ({ text }) => {
    await shelf.setItem(name, text);
    return { text };
  };
}

/** Runs the fault first if the condition holds. */
function createConditionalFault(
  shelf: SampleStore,
  name: string,
  condition: (input: SampleInput) => boolean,
  fault: (input: SampleInput, world: ExecutionContext) => unknown,
): CapabilityFaults {
  return {
    apply: async (input, world) => {
      const instead = condition(input) ? await fault(input, world) : undefined;
      await shelf.setItemWithBasis(world.basis, name, input.text);
      return { text: typeof instead === "string" ? instead : input.text };
    },
  };
}

function createSlowFault(
  shelf: SampleStore,
  name: string,
  fault: (world: ExecutionContext) => Promise<unknown>,
): CapabilityFaults {
  return createConditionalFault(
    shelf,
    name,
    ({ text }) => text === "slow",
    (_, world) => fault(world),
  );
}

function createPinFault(
  shelf: SampleStore,
  name: string,
  fault: (pin: string, world: ExecutionContext) => unknown,
): CapabilityFaults {
  const wrong = ({ pin }: SampleInput) => pin !== undefined && pin !== correctPin;
  return {
    sensitive: ["pin"],
    ...createConditionalFault(shelf, name, wrong, ({ pin }, world) => fault(pin!, world)),
  };
}

function createLargeFault(shelf: SampleStore, name: string, fault: () => unknown): CapabilityFaults {
  return createConditionalFault(shelf, name, ({ text }) => (text ?? "").length > 1024, fault);
}
