import type { OpenapiConfig } from "./config.ts";

/** Whether the configuration selects an operation, by its name, its `operationId`, or its method and path. */
export function isSelected(
  { include, exclude }: Pick<OpenapiConfig, "include" | "exclude">,
  names: readonly string[],
): boolean {
  const among = (patterns: readonly string[]) =>
    patterns.some((pattern) => names.some((name) => matchesPattern(name, pattern)));
  return (include === undefined || among(include)) && !among(exclude);
}

/**
 * Matches a pattern in which `*` stands for any text. It compares piece by piece, so that a pattern with many stars is
 * not slow.
 */
function matchesPattern(name: string, pattern: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  if (rest.length === 0) return name === pattern;
  const last = rest.pop()!;
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length)
    return false;
  let from = first.length;
  for (const piece of rest) {
    const at = name.indexOf(piece, from);
    if (at < 0 || at + piece.length > name.length - last.length) return false;
    from = at + piece.length;
  }
  return true;
}
