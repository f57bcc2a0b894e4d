import { stat } from "node:fs/promises";
import { dirname, isAbsolute, join, resolve, sep } from "node:path";
import type { ClientLocation } from "../../../lib/mcp-clients/mcp-clients.ts";
import { isSystemPath, type Program } from "./resolve-program.ts";

/** What a server sees of this machine; undefined where it is not started in a sandbox of ours. */
export interface SandboxAccess {
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly network: boolean;
  /** Whether it needs a folder of its own that stays, in which packages are kept from one start to the next. */
  readonly hasHome: boolean;
}

/** Programs that fetch what they then start. */
const fetchers = new Set(["npx", "npm", "pnpm", "pnpx", "yarn", "bunx", "bun", "uvx", "uv", "pipx", "deno"]);
const interpreters = new Set(["node", "python", "python3", "deno", "bun", "ruby", "tsx", "uv"]);
/** These start containers, and need more of the machine for it than a sandbox would leave. */
const containers = new Set(["docker", "podman", "nerdctl"]);

/**
 * As little as it can be expected to work with: the script it runs, the project it is started in to read, and what its
 * arguments name to write. A filesystem server that is there already needs no network; of others nobody knows.
 */
export async function inferSandboxAccess(
  program: Program,
  args: readonly string[],
  about: {
    readonly cwd: string | undefined;
    readonly profile: string | undefined;
    readonly where: ClientLocation;
  },
): Promise<SandboxAccess | undefined> {
  const { cwd, profile, where } = about;
  if (containers.has(program.name)) return undefined;
  const hasHome = fetchers.has(program.name);
  const isScript = interpreters.has(program.name) && !hasHome;
  const named = await Promise.all(args.map((arg) => findExistingPath(arg, cwd)));
  const script = isScript ? args.findIndex((arg) => !arg.startsWith("-")) : -1;
  const code = named[script] === undefined ? [] : [await findCodeFolder(named[script], where)];
  const given = named.filter((path, index) => path !== undefined && index !== script) as string[];
  const read = [...program.read, ...code, ...(cwd === undefined ? [] : [cwd])];
  return {
    read: removeNested(read.filter((path) => !isSystemPath(`${path}${sep}`) && !given.includes(path))),
    write: removeNested(given.filter((path) => !isSystemPath(path))),
    network: hasHome || profile !== "filesystem",
    hasHome,
  };
}

/** The path that an argument names, by itself or behind its option, if it is there. */
async function findExistingPath(arg: string, cwd: string | undefined): Promise<string | undefined> {
  const text = arg.replace(/^--?[\w-]+=/, "");
  if (!isAbsolute(text) && (cwd === undefined || !/^\.{1,2}(?:\/|$)/.test(text))) return undefined;
  const path = resolve(cwd ?? "/", text);
  return (await pathExists(path)) && path !== "/" ? path : undefined;
}

/** A script with what it imports: the `node_modules` it lies in, or the project around it; never somebody's whole home. */
async function findCodeFolder(script: string, { home }: ClientLocation): Promise<string> {
  const modules = script.indexOf(`${sep}node_modules${sep}`);
  if (modules >= 0) return script.slice(0, modules + `${sep}node_modules`.length);
  for (let folder = dirname(script); folder !== home && folder !== dirname(folder); folder = dirname(folder))
    for (const mark of ["node_modules", "package.json", "pyproject.toml", ".venv"])
      if (await pathExists(join(folder, mark))) return folder;
  return dirname(script) === home ? script : dirname(script);
}

function removeNested(paths: readonly string[]): string[] {
  return [...new Set(paths)].filter(
    (path, _, all) => !all.some((other) => other !== path && path.startsWith(`${other}${sep}`)),
  );
}

function pathExists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
