import type { registerHooks } from "node:module";

/**
 * Makes `import … from "paraph"` in a user's module always resolve to the running Paraph. It does not matter whether
 * another Paraph, or none, is installed next to the module. The module and the program then share one copy of Paraph,
 * so the module's definitions have the expected types. The module `entry` is always loaded as an ES module, even if a
 * package.json nearby defines another type.
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
