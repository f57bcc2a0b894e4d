/** Shows the progress of a long run on standard error: in place on a terminal, as lines elsewhere. */
export class BenchProgress {
  readonly #started = performance.now();
  readonly #inPlace = process.stderr.isTTY === true;

  show(step: string): void {
    const seconds = Math.round((performance.now() - this.#started) / 1_000);
    const line = `${String(seconds).padStart(4)} s  ${step}`;
    process.stderr.write(this.#inPlace ? `\r\x1b[2K${line}` : `${line}\n`);
  }

  end(): void {
    if (this.#inPlace) process.stderr.write("\r\x1b[2K");
  }

  get seconds(): number {
    return (performance.now() - this.#started) / 1_000;
  }
}
