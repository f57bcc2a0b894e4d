import type { Random } from "../ports.ts";
import { sha256Hex } from "../receipts/digest.ts";

/** A random source that produces the same ids, salts and chances in the same order for the same seed. */
export class SeededRandom implements Random {
  readonly #seed: string;
  #state: number;
  #ids = 0;

  constructor(seed: string) {
    this.#seed = sha256Hex(seed);
    this.#state = Number.parseInt(this.#seed.slice(0, 8), 16);
  }

  /** Returns ids in ascending order, as real ids are. */
  id(prefix: "call" | "ask"): string {
    this.#ids += 1;
    return `${prefix}_${this.#ids.toString().padStart(6, "0")}${this.#seed.slice(0, 6)}`;
  }

  salt(): string {
    return Array.from({ length: 4 }, () => this.#next().toString(16).padStart(8, "0")).join("");
  }

  chance(): number {
    return this.#next() / 2 ** 32;
  }

  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.chance() * items.length)]!;
  }

  /** Implements Mulberry32, which is small, mixes well and gives the same numbers on every platform. */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }
}
