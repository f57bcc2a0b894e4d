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
  "shelf.basis_ignored": "basis-changed",
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

export function createMutatedCapabilities(samples: SampleStore): Capability[] {
  const answered = new Set<string>();
  const faults: Record<string, (name: string) => CapabilityFaults> = {
    sound: () => ({ sensitive: ["pin"] }),
    does_nothing: () => ({ apply: async ({ text }) => ({ text }) }),
    output_unfit: (name) => ({
      apply: async ({ text }, { basis }) => {
        await samples.setItemWithBasis(basis, name, text);
        return { text, more: true };
      },
    }),
    preview_writes: () => ({
      preview: async () => {
        await samples.addStain();
        return { changes: [], basis: null };
      },
    }),
    preview_by_process: (name) => ({
      preview: async () => ({ changes: [], basis: `${process.pid}` }),
      apply: applyWithoutBasis(samples, name),
    }),
    basis_still: (name) => ({
      preview: async () => ({ changes: [], basis: null }),
      apply: applyWithoutBasis(samples, name),
    }),
    basis_ignored: (name) => ({ apply: applyWithoutBasis(samples, name) }),
    probe_lies: () => ({ probe: async () => ({ kind: "absent" }) }),
    // Records the key before the effect. The probe then treats this record as proof of the effect.
    crash_lies: (name) => ({
      apply: async ({ text }, { basis, call }) => {
        await samples.recordKey(call);
        await pause(halfwayPauseMs);
        await samples.setItemWithBasis(basis, name, text);
        return { text };
      },
      probe: async ({ text }, { call }) =>
        (await samples.hasKey(call)) ? { kind: "present", output: { text } } : { kind: "absent" },
    }),
    undo_forgets: () => ({ undo: () => ({ capability: "shelf.sound", input: { text: null } }) }),
    deadline_ignored: (name) => createSlowFault(samples, name, () => pause(60_000)),
    child_left: (name) =>
      createSlowFault(samples, name, async ({ signal }) => {
        spawn("sleep", ["60"], { stdio: "ignore" });
        await waitForStop(signal);
      }),
    // The grandchild has its own session and an empty environment. Its parent ends before it does.
    grandchild_left: (name) =>
      createSlowFault(samples, name, async ({ signal }) => {
        const shell = spawn("sh", ["-c", "sleep 60 >&2 & echo started; wait"], {
          stdio: ["ignore", "pipe", "ignore"],
          detached: true,
          env: {},
        });
        await once(shell.stdout, "data");
        await waitForStop(signal).catch(() => shell.kill("SIGKILL"));
        await once(shell, "exit");
        await waitForStop(signal);
      }),
    code_tells: (name) =>
      createPinFault(samples, name, (pin) => {
        throw new CapabilityError("permanent", `not-${pin}`, "It is another one.");
      }),
    progress_tells: (name) =>
      createPinFault(samples, name, (pin, context) => context.progress({ message: `trying ${pin}` })),
    print_tells: (name) =>
      createPinFault(samples, name, (pin) => void process.stderr.write(`trying ${pin}\n`)),
    output_tells: (name) => createPinFault(samples, name, (pin) => pin),
    large_chokes: (name) =>
      createLargeFault(samples, name, () => {
        throw new RangeError("Invalid string length");
      }),
    large_hogs: (name) => createLargeFault(samples, name, () => Buffer.alloc(640 * 1024 * 1024, 1)),
  };
  return [
    ...Object.entries(faults).map(([verb, faulty]) =>
      createPutCapability(samples, `shelf.${verb}`, faulty(`shelf.${verb}`)),
    ),
    createRepeatableCapability("natural", "shelf.sound_natural", (text) => samples.setItem("natural", text)),
    createRepeatableCapability("natural", "shelf.natural_adds", (text) => samples.addItem(text)),
    createRepeatableCapability("keyed", "shelf.sound_keyed", async (text, key) => {
      if (!(await samples.hasKey(key))) await samples.addItem(text, key);
    }),
    createRepeatableCapability("keyed", "shelf.key_in_memory", async (text, key) => {
      if (!answered.has(key)) await samples.addItem(text);
      answered.add(key);
    }),
    // Records the key before it has done anything.
    createRepeatableCapability("keyed", "shelf.crash_loses", async (text, key) => {
      if (await samples.hasKey(key)) return;
      await samples.recordKey(key);
      await pause(halfwayPauseMs);
      await samples.addItem(text);
    }),
  ];
}

function applyWithoutBasis(samples: SampleStore, name: string): NonNullable<CapabilityFaults["apply"]> {
  return async ({ text }) => {
    await samples.setItem(name, text);
    return { text };
  };
}

/** Runs the fault first if the condition holds. */
function createConditionalFault(
  samples: SampleStore,
  name: string,
  condition: (input: SampleInput) => boolean,
  fault: (input: SampleInput, context: ExecutionContext) => unknown,
): CapabilityFaults {
  return {
    apply: async (input, context) => {
      const instead = condition(input) ? await fault(input, context) : undefined;
      await samples.setItemWithBasis(context.basis, name, input.text);
      return { text: typeof instead === "string" ? instead : input.text };
    },
  };
}

function createSlowFault(
  samples: SampleStore,
  name: string,
  fault: (context: ExecutionContext) => Promise<unknown>,
): CapabilityFaults {
  return createConditionalFault(
    samples,
    name,
    ({ text }) => text === "slow",
    (_, context) => fault(context),
  );
}

function createPinFault(
  samples: SampleStore,
  name: string,
  fault: (pin: string, context: ExecutionContext) => unknown,
): CapabilityFaults {
  const wrong = ({ pin }: SampleInput) => pin !== undefined && pin !== correctPin;
  return {
    sensitive: ["pin"],
    ...createConditionalFault(samples, name, wrong, ({ pin }, context) => fault(pin!, context)),
  };
}

function createLargeFault(samples: SampleStore, name: string, fault: () => unknown): CapabilityFaults {
  return createConditionalFault(samples, name, ({ text }) => (text ?? "").length > 1024, fault);
}
