import { CapabilityError } from "@paraph/core";

/** Rows that are larger are worth nothing to an agent, and could not even be held as one string. */
const maxMessageBytes = 16 * 1024 * 1024;

/** What the server may send between two statements, rows that are read and thrown away included. */
const maxResponseBytes = 64 * 1024 * 1024;

/**
 * [TRUST 29] Watches the lengths of PostgreSQL's messages before its driver sees them. The driver collects a message whole
 * and makes strings of it: one value of 600 MB would end the process. A message's length comes first, so one that is too
 * long is known by its first five bytes.
 */
export class MessageGuard {
  readonly #header = Buffer.alloc(headerBytes);
  #headerLength = 0;
  /** Bytes of the message that are still to come. */
  #rest = 0;
  #answer = 0;

  /** Throws where a message, or everything since the last answer ended, is longer than allowed. */
  watch(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#rest > 0) {
        const passed = Math.min(this.#rest, chunk.length - at);
        this.#rest -= passed;
        at += passed;
      } else {
        const taken = chunk.copy(this.#header, this.#headerLength, at);
        this.#headerLength += taken;
        at += taken;
        if (this.#headerLength === headerBytes) this.#begin();
      }
    }
  }

  #begin(): void {
    this.#headerLength = 0;
    const length = this.#header.readUInt32BE(1);
    // The length counts itself, and not the letter before it.
    this.#rest = length - lengthBytes;
    this.#answer = this.#header[0] === readyForQuery ? 0 : this.#answer + length;
    if (this.#rest < 0 || length > maxMessageBytes || this.#answer > maxResponseBytes)
      throw responseTooLargeFault();
  }
}

const headerBytes = 5;
const lengthBytes = 4;
const readyForQuery = "Z".charCodeAt(0);

/** What the database sent was not read to its end, and the connection was closed over it. */
export class ResponseRefused extends CapabilityError {}

function responseTooLargeFault(): ResponseRefused {
  return new ResponseRefused(
    "permanent",
    "answer-too-large",
    "The database sent more than Paraph reads: a message of more than 16 MB, or 64 MB for one statement. The connection was closed and the statement rolled back. Select fewer columns or rows, or parts of values with `left` or `substring`.",
  );
}

/** For errors of the driver, which may quote what it was sent. */
export function responseUnreadableFault(): ResponseRefused {
  return new ResponseRefused(
    "permanent",
    "answer-unreadable",
    "The database sent what its driver cannot read. The connection was closed and the statement rolled back. Check that the address leads to PostgreSQL.",
  );
}
