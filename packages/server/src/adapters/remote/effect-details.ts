import { adapterName, digest, type Json, type ServedEffect, type Tokens, type Undo } from "@paraph/core";

interface EffectDetails {
  readonly undo?: Undo;
  readonly spent?: number;
  readonly tokens?: Tokens;
}

/** In characters: what was said longest ago is forgotten first. */
const maxStoredCharacters = 16 * 1024 * 1024;

/**
 * The way back and the price are functions of input and output, and the service says their values with every output, whether
 * that was just made or found by a probe. They are asked for right after, by the process that received it: so it remembers.
 */
export class EffectDetailsCache {
  readonly #adapter: string;
  readonly #kept = new Map<string, EffectDetails>();
  #size = 0;

  constructor(adapter: string) {
    this.#adapter = adapter;
  }

  /** The output alone. A way back through another adapter is not the service's to offer. */
  storeOutput(input: Json, effect: ServedEffect): Json {
    if ("withheld" in effect) return withheldOutput;
    const { output, undo, spent, tokens } = effect;
    const ours = undo && adapterName({ name: undo.capability }) === this.#adapter ? undo : undefined;
    if (ours || spent !== undefined || tokens)
      this.#keep(toCacheKey(input, output), {
        ...(ours && { undo: ours }),
        ...(spent !== undefined && { spent }),
        ...(tokens && { tokens }),
      });
    return output;
  }

  find(input: Json, output: Json): EffectDetails {
    return this.#kept.get(toCacheKey(input, output)) ?? {};
  }

  #keep(key: string, kept: EffectDetails): void {
    this.#forget(key);
    this.#kept.set(key, kept);
    this.#size += measureDetails(kept);
    for (const oldest of this.#kept.keys()) {
      if (this.#size <= maxStoredCharacters) break;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    const kept = this.#kept.get(key);
    if (kept && this.#kept.delete(key)) this.#size -= measureDetails(kept);
  }
}

/** Stands for an output that the service could not send: nothing else is the same object. */
export const withheldOutput: Json = Object.freeze({});

const toCacheKey = (input: Json, output: Json) => digest([input, output]);
const measureDetails = (kept: EffectDetails) => JSON.stringify(kept).length + 200;
