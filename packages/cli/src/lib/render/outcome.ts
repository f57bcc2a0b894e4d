import type { Style } from "../terminal/output.ts";

/** Returns green for success, red for no effect, magenta for unknown, and yellow for open. */
export function pickOutcomeStyle(word: string): Exclude<Style, readonly unknown[]> {
  switch (word) {
    case "succeeded":
      return "green";
    case "failed":
    case "refused":
    case "denied":
      return "red";
    case "unknown":
      return "magenta";
    case "expired":
    case "cancelled":
    case "superseded":
      return "dim";
    default:
      return "yellow";
  }
}
