import { adapterName, digest, type Json, type ServedEffect, type Tokens, type Undo } from "@paraph/core";

interface EffectDetails {
  readonly undo?: Undo;
  readonly spent?: number;
  readonly tokens?: Tokens;
}

/** The cache limit in characters. The oldest details are removed first. */
const maxStoredCharacters = 16 * 1024 * 1024;

/**
 * A cache of the undo and the spent amount of each output. A local capability computes both from input and output. A
 * service instead sends both with the output of an apply or a probe. The pipeline reads them right afterwards in the
 * same process.
 */
export class EffectDetailsCache {
  readonly #adapter: string;
  readonly #kept = new Map<string, EffectDetails>();
  #size = 0;

  constructor(adapter: string) {
    this.#adapter = adapter;
  }

  /**
   * Stores the details and returns the output. It drops an undo that calls another adapter, because a service is not
   * allowed to offer such an undo.
   */
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

/** The placeholder for an output that the service could not send. It is compared by identity. */
export const withheldOutput: Json = Object.freeze({});

const toCacheKey = (input: Json, output: Json) => digest([input, output]);
const measureDetails = (kept: EffectDetails) => JSON.stringify(kept).length + 200;
