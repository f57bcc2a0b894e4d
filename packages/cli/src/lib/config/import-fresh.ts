import { registerHooks } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { createOwnParaphResolver } from "./own-paraph-resolver.ts";

let loads = 0;

/**
 * Imports a user's module with the files that it imports, and adds the paths of all of them to `files`, even if the
 * import fails. A later import in the same process loads them again, because each one gives them other URLs. Packages
 * are loaded once, so that the module and the program share one copy of Paraph.
 */
export async function importFresh(file: string, files: Set<string>): Promise<{ default?: unknown }> {
  const load = loads++;
  const mark = load === 0 ? "" : `?load=${load}`;
  const entry = `${pathToFileURL(file).href}${mark}`;
  const own = new Set([entry]);
  files.add(file);
  const resolveOwnParaph = createOwnParaphResolver(entry);
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const resolved = resolveOwnParaph(specifier, context, next);
      const isFile = /^(\.{0,2}\/|file:)/.test(specifier) && resolved.url.startsWith("file:");
      if (!isFile || !own.has(context.parentURL ?? "")) return resolved;
      files.add(fileURLToPath(resolved.url));
      const url = `${resolved.url}${mark}`;
      own.add(url);
      return { ...resolved, url };
    },
  });
  try {
    return await import(entry);
  } finally {
    // The first load needs no marks. Of later ones, a module may still import a file when it runs.
    if (load === 0) hooks.deregister();
  }
}
