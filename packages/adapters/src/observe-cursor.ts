import { createHash } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { CapabilityError } from "@paraph/core";

const cursorVersion = "1:";

/** Formats the state of an observer as a cursor. Equal states have equal cursors. */
export function formatCursor(state: unknown): string {
  return cursorVersion + deflateRawSync(JSON.stringify(state)).toString("base64");
}

/** Parses a cursor that `formatCursor` returned. */
export function parseCursor<T>(cursor: string): T {
  if (!cursor.startsWith(cursorVersion)) {
    throw new CapabilityError(
      "permanent",
      "cursor-invalid",
      "The cursor was written by another version of this adapter.",
    );
  }
  return JSON.parse(inflateRawSync(Buffer.from(cursor.slice(cursorVersion.length), "base64")).toString());
}

/** Returns the same id for the same parts, regardless of which process reports the observation and how often. */
export function toObservationId(...parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
}
