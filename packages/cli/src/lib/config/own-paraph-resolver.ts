import type { registerHooks } from "node:module";

/**
 * `import … from "paraph"` in a user's module means the Paraph that runs it, installed beside it or not: one copy, so
 * that what it defines is what is understood. And it is a module, whatever a package.json near it says.
 */
export function createOwnParaphResolver(
  entry: string | null,
): NonNullable<Parameters<typeof registerHooks>[0]["resolve"]> {
  return (specifier, context, next) => {
    if (specifier === "paraph") return next(specifier, { ...context, parentURL: import.meta.url });
    const resolved = next(specifier, context);
    if (resolved.url !== entry) return resolved;
    return { ...resolved, format: entry.endsWith(".ts") ? "module-typescript" : "module" };
  };
}
