import { readFile, rename, writeFile } from "node:fs/promises";
import {
  type Capability,
  CapabilityError,
  defineCapability,
  type ExecutionContext,
  type Probe,
} from "@paraph/core";
import { z } from "zod";

/** What stands where, who has been answered, and stains, which nobody should ever add to. */
export interface Shelf {
  readonly items: Readonly<Record<string, string>>;
  readonly answered: readonly string[];
  readonly stains: readonly string[];
}

export const emptyShelf: Shelf = { items: {}, answered: [], stains: [] };

/** A shelf that is one file, changed in one step. */
export class ShelfFile {
  readonly #file: string;

  constructor(folder: string) {
    this.#file = `${folder}/shelf.json`;
  }

  async read(): Promise<Shelf> {
    return JSON.parse(await readFile(this.#file, "utf8"));
  }

  async write(shelf: Shelf): Promise<void> {
    await writeFile(`${this.#file}.${process.pid}`, JSON.stringify(shelf));
    await rename(`${this.#file}.${process.pid}`, this.#file);
  }

  async at(name: string): Promise<string | null> {
    return (await this.read()).items[name] ?? null;
  }

  /** Null takes it away. */
  async place(name: string, text: string | null): Promise<void> {
    const shelf = await this.read();
    const { [name]: _, ...others } = shelf.items;
    await this.write({ ...shelf, items: text === null ? others : { ...others, [name]: text } });
  }

  async placeOn(basis: ExecutionContext["basis"], name: string, text: string | null): Promise<void> {
    if ((await this.at(name)) !== (basis ?? null)) {
      throw new CapabilityError("not-performed", "basis-moved", "The shelf holds something else by now.");
    }
    await this.place(name, text);
  }

  /** Beside what is there, with the key in the same step where there is one. */
  async add(text: string, key?: string): Promise<void> {
    const { items, answered, stains } = await this.read();
    const count = Object.keys(items).length;
    await this.write({
      items: { ...items, [`added ${count}`]: text },
      answered: key === undefined ? answered : [...answered, key],
      stains,
    });
  }

  async answer(key: string): Promise<void> {
    const shelf = await this.read();
    await this.write({ ...shelf, answered: [...shelf.answered, key] });
  }

  async hasAnswered(key: string): Promise<boolean> {
    return (await this.read()).answered.includes(key);
  }

  async stain(): Promise<void> {
    const shelf = await this.read();
    await this.write({ ...shelf, stains: [...shelf.stains, "stain"] });
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
export type Input = z.output<typeof input>;
type Output = z.output<typeof output>;

export interface Faulty {
  readonly sensitive?: readonly string[];
  readonly preview?: () => Promise<{ changes: []; basis: string | null }>;
  readonly apply?: (input: Input, world: ExecutionContext) => Promise<Output>;
  readonly probe?: (input: Input, world: ExecutionContext) => Promise<Probe>;
  readonly undo?: () => { capability: string; input: { text: string | null } };
}

/** The largest text the shelf takes. */
const largest = 1024;

/** Does everything right, on a basis and asked about after a crash. What is given instead makes it faulty. */
export function put(shelf: ShelfFile, name: string, faulty: Faulty = {}): Capability {
  return defineCapability({
    name,
    version: 1,
    summary: "Put a text on the shelf",
    effect: "write",
    idempotency: "probe",
    input,
    output,
    preview: async () => ({ changes: [], basis: await shelf.at(name) }),
    apply: async ({ text }, { basis, signal }) => {
      if (text === "slow") await stopped(signal);
      if ((text ?? "").length > largest)
        throw new CapabilityError("permanent", "too-large", "It is too large.");
      await shelf.placeOn(basis, name, text);
      return { text };
    },
    probe: async ({ text }) =>
      (await shelf.at(name)) === text ? { kind: "present", output: { text } } : { kind: "absent" },
    undo: () => ({ capability: name, input: { text: null } }),
    ...faulty,
  });
}

export function repeatable(
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

/** Waits for the deadline, as whoever does something long should. */
export async function stopped(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
  throw new CapabilityError("not-performed", "stopped", "Stopped before anything was done.");
}
