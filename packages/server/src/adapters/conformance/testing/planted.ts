import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { type Capability, CapabilityError, type ExecutionContext } from "@paraph/core";
import { type Faulty, type Input, put, repeatable, type ShelfFile, stopped } from "./shelf.ts";

/** What each capability's one fault must be found by; nothing for those without. */
export const planted: Readonly<Record<string, string | undefined>> = {
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

/** The one that is right; another one is refused, and the faulty tell of it. */
export const rightPin = "open-sesame";

/** Between two halves of what should have been one step: long enough that some of the crashes fall into it. */
const halfwayMs = 150;

export function plantedIn(shelf: ShelfFile): Capability[] {
  const answered = new Set<string>();
  const faults: Record<string, (name: string) => Faulty> = {
    sound: () => ({ sensitive: ["pin"] }),
    does_nothing: () => ({ apply: async ({ text }) => ({ text }) }),
    output_unfit: (name) => ({
      apply: async ({ text }, { basis }) => {
        await shelf.placeOn(basis, name, text);
        return { text, more: true };
      },
    }),
    preview_writes: () => ({
      preview: async () => {
        await shelf.stain();
        return { changes: [], basis: null };
      },
    }),
    preview_by_process: (name) => ({
      preview: async () => ({ changes: [], basis: `${process.pid}` }),
      apply: onNoBasis(shelf, name),
    }),
    basis_still: (name) => ({
      preview: async () => ({ changes: [], basis: null }),
      apply: onNoBasis(shelf, name),
    }),
    basis_ignored: (name) => ({ apply: onNoBasis(shelf, name) }),
    probe_lies: () => ({ probe: async () => ({ kind: "absent" }) }),
    // Notes that it begins, and takes the note for the deed.
    crash_lies: (name) => ({
      apply: async ({ text }, { basis, call }) => {
        await shelf.answer(call);
        await pause(halfwayMs);
        await shelf.placeOn(basis, name, text);
        return { text };
      },
      probe: async ({ text }, { call }) =>
        (await shelf.hasAnswered(call)) ? { kind: "present", output: { text } } : { kind: "absent" },
    }),
    undo_forgets: () => ({ undo: () => ({ capability: "shelf.sound", input: { text: null } }) }),
    deadline_ignored: (name) => slow(shelf, name, () => pause(60_000)),
    child_left: (name) =>
      slow(shelf, name, async ({ signal }) => {
        spawn("sleep", ["60"], { stdio: "ignore" });
        await stopped(signal);
      }),
    // In a session of its own, with nothing of ours in its environment, and its parent dies first.
    grandchild_left: (name) =>
      slow(shelf, name, async ({ signal }) => {
        const shell = spawn("sh", ["-c", "sleep 60 & wait"], { stdio: "ignore", detached: true, env: {} });
        await stopped(signal).catch(() => shell.kill("SIGKILL"));
        await once(shell, "exit");
        await stopped(signal);
      }),
    code_tells: (name) =>
      pinned(shelf, name, (pin) => {
        throw new CapabilityError("permanent", `not-${pin}`, "It is another one.");
      }),
    progress_tells: (name) =>
      pinned(shelf, name, (pin, world) => world.progress({ message: `trying ${pin}` })),
    print_tells: (name) => pinned(shelf, name, (pin) => void process.stderr.write(`trying ${pin}\n`)),
    output_tells: (name) => pinned(shelf, name, (pin) => pin),
    large_chokes: (name) =>
      large(shelf, name, () => {
        throw new RangeError("Invalid string length");
      }),
    large_hogs: (name) => large(shelf, name, () => Buffer.alloc(640 * 1024 * 1024, 1)),
  };
  return [
    ...Object.entries(faults).map(([verb, faulty]) => put(shelf, `shelf.${verb}`, faulty(`shelf.${verb}`))),
    repeatable("natural", "shelf.sound_natural", (text) => shelf.place("natural", text)),
    repeatable("natural", "shelf.natural_adds", (text) => shelf.add(text)),
    repeatable("keyed", "shelf.sound_keyed", async (text, key) => {
      if (!(await shelf.hasAnswered(key))) await shelf.add(text, key);
    }),
    repeatable("keyed", "shelf.key_in_memory", async (text, key) => {
      if (!answered.has(key)) await shelf.add(text);
      answered.add(key);
    }),
    // Remembers the key before it has done anything.
    repeatable("keyed", "shelf.crash_loses", async (text, key) => {
      if (await shelf.hasAnswered(key)) return;
      await shelf.answer(key);
      await pause(halfwayMs);
      await shelf.add(text);
    }),
  ];
}

function onNoBasis(shelf: ShelfFile, name: string): NonNullable<Faulty["apply"]> {
  return async ({ text }) => {
    await shelf.place(name, text);
    return { text };
  };
}

/** Where the condition holds, the fault comes first. */
function faultyWhere(
  shelf: ShelfFile,
  name: string,
  condition: (input: Input) => boolean,
  fault: (input: Input, world: ExecutionContext) => unknown,
): Faulty {
  return {
    apply: async (input, world) => {
      const instead = condition(input) ? await fault(input, world) : undefined;
      await shelf.placeOn(world.basis, name, input.text);
      return { text: typeof instead === "string" ? instead : input.text };
    },
  };
}

function slow(shelf: ShelfFile, name: string, fault: (world: ExecutionContext) => Promise<unknown>): Faulty {
  return faultyWhere(
    shelf,
    name,
    ({ text }) => text === "slow",
    (_, world) => fault(world),
  );
}

function pinned(
  shelf: ShelfFile,
  name: string,
  fault: (pin: string, world: ExecutionContext) => unknown,
): Faulty {
  const wrong = ({ pin }: Input) => pin !== undefined && pin !== rightPin;
  return { sensitive: ["pin"], ...faultyWhere(shelf, name, wrong, ({ pin }, world) => fault(pin!, world)) };
}

function large(shelf: ShelfFile, name: string, fault: () => unknown): Faulty {
  return faultyWhere(shelf, name, ({ text }) => (text ?? "").length > 1024, fault);
}
