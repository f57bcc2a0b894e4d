import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";

interface OutputOptions {
  /** The number of bytes that Paraph keeps. */
  readonly maxBytes: number;
  readonly tell?: (chunk: string) => void;
  readonly tooMuch?: () => void;
}

/** The output of one stream, up to a limit. */
export class LimitedOutput {
  readonly #options: OutputOptions;
  readonly #chunks: Buffer[] = [];
  #kept = 0;
  #truncated = false;

  constructor(stream: Readable, options: OutputOptions) {
    this.#options = options;
    // Uses a decoder that keeps incomplete characters, because a chunk may end in the middle of a character.
    const decoder = new StringDecoder("utf8");
    stream.on("data", (chunk: Buffer) => {
      this.#take(chunk);
      const text = options.tell && decoder.write(chunk);
      if (text) this.#tell(text);
    });
    // Ignores a broken pipe, because other code already observes the end of the process.
    stream.on("error", () => {});
  }

  get truncated(): boolean {
    return this.#truncated;
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  /** [P9] Passes output to the listener. Errors of the listener affect neither the program nor Paraph. */
  #tell(text: string): void {
    try {
      this.#options.tell?.(text);
    } catch {
      // Ignores the error. The listener still receives later output.
    }
  }

  /** Keeps output up to the limit. It also reads the rest, because a program whose output is not read would block. */
  #take(chunk: Buffer): void {
    const fits = chunk.subarray(0, this.#options.maxBytes - this.#kept);
    this.#kept += fits.length;
    if (fits.length > 0) this.#chunks.push(fits);
    if (fits.length === chunk.length || this.#truncated) return;
    this.#truncated = true;
    this.#options.tooMuch?.();
  }
}
