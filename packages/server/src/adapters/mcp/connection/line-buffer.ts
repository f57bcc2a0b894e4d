/**
 * The lines in what comes in pieces. Each piece is looked at once, however long the line grows: a server that sends one without an
 * end would otherwise hold up everybody.
 */
export class LineBuffer {
  readonly #longest: number;
  #pieces: Buffer[] = [];
  #size = 0;

  constructor(longest: number) {
    this.#longest = longest;
  }

  /** Those that end in this piece. Throws where one is longer than allowed. */
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
    if (this.#size > this.#longest) throw new Error("This line does not end.");
    if (piece.length > 0) this.#pieces.push(piece);
  }
}

const newlineByte = 0x0a;
