import type { Style } from "../terminal/output.ts";

/** Green happened, red did not, yellow is not over, and magenta is what nobody knows. */
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
