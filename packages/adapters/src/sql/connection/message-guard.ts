import { CapabilityError } from "@paraph/core";

/** A larger row is useless to an agent, and JavaScript could not even hold it as one string. */
const maxMessageBytes = 16 * 1024 * 1024;

/** The limit for everything that the server sends for one statement, including rows that the adapter discards. */
const maxResponseBytes = 64 * 1024 * 1024;

/**
 * [TRUST 29] Checks the length of PostgreSQL's messages before the driver receives them. The driver collects a whole
 * message and converts it to strings, so one value of 600 MB would end the process. A message starts with its length,
 * so the guard recognises a message that is too long by its first five bytes.
 */
export class MessageGuard {
  readonly #header = Buffer.alloc(headerBytes);
  #headerLength = 0;
  /** The number of bytes of the current message that have not arrived yet. */
  #rest = 0;
  #answer = 0;

  /** Throws if one message, or all messages since the last response ended, exceed their limit. */
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
    // The length includes its own four bytes and excludes the type byte before it.
    this.#rest = length - lengthBytes;
    this.#answer = this.#header[0] === readyForQuery ? 0 : this.#answer + length;
    if (this.#rest < 0 || length > maxMessageBytes || this.#answer > maxResponseBytes)
      throw responseTooLargeFault();
  }
}

const headerBytes = 5;
const lengthBytes = 4;
const readyForQuery = "Z".charCodeAt(0);

/** The error for a response that the adapter did not read to its end, and whose connection it closed. */
export class ResponseRefused extends CapabilityError {}

function responseTooLargeFault(): ResponseRefused {
  return new ResponseRefused(
    "permanent",
    "answer-too-large",
    "The database sent more than the limit of 16 MB for one message or 64 MB for one statement. The connection was closed and the statement rolled back. Select fewer columns or rows, or parts of values with `left` or `substring`.",
  );
}

/**
 * Returns the error that replaces an error of the driver, because the driver's error may quote the data it received.
 */
export function responseUnreadableFault(): ResponseRefused {
  return new ResponseRefused(
    "permanent",
    "answer-unreadable",
    "The database sent data that its driver cannot read. The connection was closed and the statement rolled back. Check that the address leads to PostgreSQL.",
  );
}
