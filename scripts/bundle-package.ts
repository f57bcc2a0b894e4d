// Joins the compiled modules of a package into few files. Node needs about half a millisecond to find and link a module,
// and the packages have more than 700, so commands and servers start much faster from few files.
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { rolldown } from "rolldown";

/** Stands for the address of a module until the file that the module ends up in is known. */
const placeholder = (module: string): string => `__ADDRESS_OF__(${JSON.stringify(module)})`;
const placeholderPattern = /__ADDRESS_OF__\("([^"]+)"\)/g;

/**
 * Replaces the modules in `dist` by bundles. Files that others name stay where they are: those in `exports`, those that
 * the programs in `bin` load, and the entries of threads and processes. Dependencies stay apart.
 */
export async function bundlePackage(folder: string): Promise<void> {
  const dist = resolve(folder, "dist");
  const modules = globSync("**/*.js", { cwd: dist }).map((path) => join(dist, path));
  const bundle = await rolldown({
    input: Object.fromEntries(
      findEntries(folder, modules).map((path) => [relative(dist, path).slice(0, -".js".length), path]),
    ),
    platform: "node",
    tsconfig: false,
    // The bundler brings its own helpers.
    external: (id) => !id.startsWith(".") && !id.startsWith("/") && !id.startsWith("@oxc-project/runtime/"),
    plugins: [
      {
        name: "addresses",
        // Modules find assets and threads from their own address, so they keep the address that they had.
        transform: (code, id) => code.replaceAll("import.meta.url", placeholder(relative(dist, id))),
        renderChunk: (code, { fileName }) =>
          code.replaceAll(placeholderPattern, (_, module: string) => {
            // The entry of a thread may read its own query.
            if (module === fileName) return "import.meta.url";
            const path = relative(dirname(fileName), module);
            return `new URL(${JSON.stringify(path.startsWith(".") ? path : `./${path}`)}, import.meta.url).href`;
          }),
      },
    ],
    onLog: (level, log) => {
      if (level === "warn") throw new Error(`${folder}: ${log.message}`);
    },
  });
  const { output } = await bundle.generate({ format: "esm", chunkFileNames: "chunks/[name]-[hash].js" });
  await bundle.close();
  for (const path of modules) rmSync(path);
  for (const file of output) {
    if (file.type !== "chunk") throw new Error(`${folder}: unexpected asset ${file.fileName}`);
    const path = join(dist, file.fileName);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, file.code);
  }
}

function findEntries(folder: string, modules: readonly string[]): string[] {
  const { exports, bin = {} } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    readonly exports: Record<string, { readonly default: string }>;
    readonly bin?: Record<string, string>;
  };
  const exported = Object.values(exports).map((target) => resolve(folder, target.default));
  const loaded = Object.values(bin).flatMap((program) => {
    const path = resolve(folder, program);
    return findAll(readFileSync(path, "utf8"), /"(\.\.\/dist\/[^"]+\.js)"/g).map((module) =>
      resolve(dirname(path), module),
    );
  });
  const started = modules.flatMap((path) =>
    findAll(readFileSync(path, "utf8"), /`(\.{1,2}\/[\w./-]+)\$\{extname\(import\.meta\.url\)\}/g).map(
      (module) => resolve(dirname(path), `${module}.js`),
    ),
  );
  const entries = [...new Set([...exported, ...loaded, ...started])];
  const missing = entries.filter((path) => !existsSync(path));
  if (missing.length > 0) throw new Error(`no such module: ${missing.join(", ")}`);
  return entries;
}

const findAll = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, found]) => found!);
