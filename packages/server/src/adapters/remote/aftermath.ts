import { adapterName, digest, type Json, type ServedEffect, type Tokens, type Undo } from "@paraph/core";

interface Kept {
  readonly undo?: Undo;
  readonly spent?: number;
  readonly tokens?: Tokens;
}

/** In characters: what was said longest ago is forgotten first. */
const mostKept = 16 * 1024 * 1024;

/**
 * The way back and the price are functions of input and output, and the service says their values with every output, whether
 * that was just made or found by a probe. They are asked for right after, by the process that received it: so it remembers.
 */
export class Aftermath {
  readonly #adapter: string;
  readonly #kept = new Map<string, Kept>();
  #size = 0;

  constructor(adapter: string) {
    this.#adapter = adapter;
  }

  /** The output alone. A way back through another adapter is not the service's to offer. */
  outputOf(input: Json, effect: ServedEffect): Json {
    if ("withheld" in effect) return withheld;
    const { output, undo, spent, tokens } = effect;
    const ours = undo && adapterName({ name: undo.capability }) === this.#adapter ? undo : undefined;
    if (ours || spent !== undefined || tokens)
      this.#keep(keyOf(input, output), {
        ...(ours && { undo: ours }),
        ...(spent !== undefined && { spent }),
        ...(tokens && { tokens }),
      });
    return output;
  }

  of(input: Json, output: Json): Kept {
    return this.#kept.get(keyOf(input, output)) ?? {};
  }

  #keep(key: string, kept: Kept): void {
    this.#forget(key);
    this.#kept.set(key, kept);
    this.#size += sizeOf(kept);
    for (const oldest of this.#kept.keys()) {
      if (this.#size <= mostKept) break;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    const kept = this.#kept.get(key);
    if (kept && this.#kept.delete(key)) this.#size -= sizeOf(kept);
  }
}

/** Stands for an output that the service could not send: nothing else is the same object. */
export const withheld: Json = Object.freeze({});

const keyOf = (input: Json, output: Json) => digest([input, output]);
const sizeOf = (kept: Kept) => JSON.stringify(kept).length + 200;
