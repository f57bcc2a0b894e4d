import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";

interface OutputOptions {
  /** How many bytes are kept. */
  readonly maxBytes: number;
  readonly tell?: (chunk: string) => void;
  readonly tooMuch?: () => void;
}

/** What comes out of one stream, up to a limit. */
export class LimitedOutput {
  readonly #options: OutputOptions;
  readonly #chunks: Buffer[] = [];
  #kept = 0;
  #truncated = false;

  constructor(stream: Readable, options: OutputOptions) {
    this.#options = options;
    // A character may come in two halves.
    const decoder = new StringDecoder("utf8");
    stream.on("data", (chunk: Buffer) => {
      this.#take(chunk);
      const text = options.tell && decoder.write(chunk);
      if (text) this.#tell(text);
    });
    // The end is seen elsewhere; that a pipe broke says nothing more.
    stream.on("error", () => {});
  }

  get truncated(): boolean {
    return this.#truncated;
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  /** [P9] Whoever is told has no say in what becomes of the program, nor of us. */
  #tell(text: string): void {
    try {
      this.#options.tell?.(text);
    } catch {
      // It is told the rest all the same.
    }
  }

  /** What is beyond the limit is read all the same: a program whose output nobody takes would wait for ever. */
  #take(chunk: Buffer): void {
    const fits = chunk.subarray(0, this.#options.maxBytes - this.#kept);
    this.#kept += fits.length;
    if (fits.length > 0) this.#chunks.push(fits);
    if (fits.length === chunk.length || this.#truncated) return;
    this.#truncated = true;
    this.#options.tooMuch?.();
  }
}
