import { readFile, rename, writeFile } from "node:fs/promises";
import {
  type Capability,
  CapabilityError,
  defineCapability,
  type ExecutionContext,
  type Probe,
} from "@paraph/core";
import { z } from "zod";

/** The items, the used idempotency keys, and the stains. No correct capability adds a stain. */
export interface SampleState {
  readonly items: Readonly<Record<string, string>>;
  readonly seenKeys: readonly string[];
  readonly stains: readonly string[];
}

export const emptyState: SampleState = { items: {}, seenKeys: [], stains: [] };

/** A store in a single file that every write replaces atomically. */
export class SampleStore {
  readonly #file: string;

  constructor(folder: string) {
    this.#file = `${folder}/shelf.json`;
  }

  async read(): Promise<SampleState> {
    return JSON.parse(await readFile(this.#file, "utf8"));
  }

  async write(state: SampleState): Promise<void> {
    await writeFile(`${this.#file}.${process.pid}`, JSON.stringify(state));
    await rename(`${this.#file}.${process.pid}`, this.#file);
  }

  async readItem(name: string): Promise<string | null> {
    return (await this.read()).items[name] ?? null;
  }

  /** Sets an item. Null removes it. */
  async setItem(name: string, text: string | null): Promise<void> {
    const state = await this.read();
    const { [name]: _, ...others } = state.items;
    await this.write({ ...state, items: text === null ? others : { ...others, [name]: text } });
  }

  async setItemWithBasis(basis: ExecutionContext["basis"], name: string, text: string | null): Promise<void> {
    if ((await this.readItem(name)) !== (basis ?? null)) {
      throw new CapabilityError("not-performed", "basis-changed", "The shelf holds something else by now.");
    }
    await this.setItem(name, text);
  }

  /** Adds an item. If there is a key, records it in the same write. */
  async addItem(text: string, key?: string): Promise<void> {
    const { items, seenKeys, stains } = await this.read();
    const count = Object.keys(items).length;
    await this.write({
      items: { ...items, [`added ${count}`]: text },
      seenKeys: key === undefined ? seenKeys : [...seenKeys, key],
      stains,
    });
  }

  async recordKey(key: string): Promise<void> {
    const state = await this.read();
    await this.write({ ...state, seenKeys: [...state.seenKeys, key] });
  }

  async hasKey(key: string): Promise<boolean> {
    return (await this.read()).seenKeys.includes(key);
  }

  async addStain(): Promise<void> {
    const state = await this.read();
    await this.write({ ...state, stains: [...state.stains, "stain"] });
  }
}

const input = z.strictObject({
  text: z
    .string()
    .max(64 * 1024 * 1024)
    .nullable(),
  pin: z.string().optional(),
});
const output = z.strictObject({ text: z.string().nullable() });
export type SampleInput = z.output<typeof input>;
type SampleOutput = z.output<typeof output>;

export interface CapabilityFaults {
  readonly sensitive?: readonly string[];
  readonly preview?: () => Promise<{ changes: []; basis: string | null }>;
  readonly apply?: (input: SampleInput, context: ExecutionContext) => Promise<SampleOutput>;
  readonly probe?: (input: SampleInput, context: ExecutionContext) => Promise<Probe>;
  readonly undo?: () => { capability: string; input: { text: string | null } };
}

/** The maximum length of a text in the store. */
const maxTextLength = 1024;

/** Creates a correct capability with a basis and a probe. `faulty` replaces parts of it by faulty ones. */
export function createPutCapability(
  samples: SampleStore,
  name: string,
  faulty: CapabilityFaults = {},
): Capability {
  return defineCapability({
    name,
    version: 1,
    summary: "Put a text on the shelf",
    effect: "write",
    idempotency: "probe",
    input,
    output,
    preview: async () => ({ changes: [], basis: await samples.readItem(name) }),
    apply: async ({ text }, { basis, signal }) => {
      if (text === "slow") await waitForStop(signal);
      if ((text ?? "").length > maxTextLength)
        throw new CapabilityError("permanent", "too-large", "It is too large.");
      await samples.setItemWithBasis(basis, name, text);
      return { text };
    },
    probe: async ({ text }) =>
      (await samples.readItem(name)) === text ? { kind: "present", output: { text } } : { kind: "absent" },
    undo: () => ({ capability: name, input: { text: null } }),
    ...faulty,
  });
}

export function createRepeatableCapability(
  idempotency: "natural" | "keyed",
  name: string,
  body: (text: string, key: string) => Promise<void>,
): Capability {
  return defineCapability({
    name,
    version: 1,
    summary: "Put a text on the shelf",
    effect: "write",
    idempotency,
    input,
    output,
    apply: async ({ text }, { key }) => {
      await body(text ?? "", key);
      return { text };
    },
  });
}

/** Waits for the deadline, as a correct long-running capability does. */
export async function waitForStop(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
  throw new CapabilityError("not-performed", "stopped", "Stopped before anything was done.");
}
