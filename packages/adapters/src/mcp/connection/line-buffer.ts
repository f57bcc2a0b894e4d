/**
 * Splits a stream of pieces into lines. Each piece is scanned only once, so that a server with an endless line cannot
 * block the process.
 */
export class LineBuffer {
  readonly #longest: number;
  #pieces: Buffer[] = [];
  #size = 0;

  constructor(longest: number) {
    this.#longest = longest;
  }

  /** Returns the lines that end in this piece. Throws if a line is longer than allowed. */
  push(piece: Buffer): string[] {
    const lines: string[] = [];
    let from = 0;
    for (let end = piece.indexOf(newlineByte); end >= 0; end = piece.indexOf(newlineByte, from)) {
      this.#keep(piece.subarray(from, end));
      lines.push(Buffer.concat(this.#pieces).toString().replace(/\r$/, ""));
      this.clear();
      from = end + 1;
    }
    this.#keep(piece.subarray(from));
    return lines;
  }

  clear(): void {
    this.#pieces = [];
    this.#size = 0;
  }

  #keep(piece: Buffer): void {
    this.#size += piece.length;
    if (this.#size > this.#longest) throw new Error("The line exceeds the size limit.");
    if (piece.length > 0) this.#pieces.push(piece);
  }
}

const newlineByte = 0x0a;
