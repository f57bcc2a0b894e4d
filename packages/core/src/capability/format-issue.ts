import type { z } from "zod";

/** [P10] Formats one fault of a value. It names the place and the rule, never the value. */
export function formatIssue({ path, code, message }: z.core.$ZodIssue, raw: unknown): string {
  const place = path.map(String).join(".");
  // A custom message already says what the author of the schema wants.
  if (place !== "" && code !== "custom" && isAbsent(raw, path)) return `${place} is missing`;
  return `${place || "(the whole)"}: ${message}`;
}

function isAbsent(raw: unknown, path: readonly PropertyKey[]): boolean {
  const found = path.reduce<unknown>(
    (value, key) => (value as Record<PropertyKey, unknown> | null)?.[key],
    raw,
  );
  return found === undefined;
}
