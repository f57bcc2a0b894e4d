import { CapabilityError } from "@paraph/core";

/**
 * The maximum length of one message. A larger row is useless to an agent, and a row of 600 MB does not fit into one
 * JavaScript string.
 */
const maxMessageBytes = 16 * 1024 * 1024;

/** The limit for everything that the server sends for one statement, including rows that the adapter discards. */
const maxResponseBytes = 64 * 1024 * 1024;

/**
 * [TRUST 29] A guard that checks the length of PostgreSQL's messages before the driver receives them. The driver
 * collects a whole message and converts it to strings, so one value of 600 MB would end the process. The first five
 * bytes of a message contain its length, so the guard needs only these bytes to detect a message that is too long.
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

/**
 * The error for a response that the adapter did not read completely. The adapter closed the connection of that
 * response.
 */
export class ResponseRefused extends CapabilityError {}

function responseTooLargeFault(): ResponseRefused {
  return new ResponseRefused(
    "permanent",
    "answer-too-large",
    "The database sent more than the limit of 16 MB for one message or 64 MB for one statement. The connection was closed and the statement rolled back. Select fewer columns or rows, or parts of values with `left` or `substring`.",
  );
}

/**
 * Returns the error that replaces the driver's error. The driver's error may quote the data that the driver received.
 */
export function responseUnreadableFault(): ResponseRefused {
  return new ResponseRefused(
    "permanent",
    "answer-unreadable",
    "The database sent data that Paraph's driver cannot read. The connection was closed and the statement rolled back. Check that the address leads to PostgreSQL.",
  );
}
