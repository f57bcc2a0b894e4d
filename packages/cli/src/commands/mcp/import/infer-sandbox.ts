import { stat } from "node:fs/promises";
import { dirname, isAbsolute, join, resolve, sep } from "node:path";
import type { ClientLocation } from "../../../lib/mcp-clients/mcp-clients.ts";
import { containsHome } from "./home-folder.ts";
import { isSystemPath, type Program } from "./resolve-program.ts";

/** The parts of this machine that a server can access. */
export interface SandboxAccess {
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly network: boolean;
  /** Whether the server needs a persistent home folder, to keep packages between starts. */
  readonly hasHome: boolean;
}

/** Programs that download the server before they start it. */
const fetchers = new Set(["npx", "npm", "pnpm", "pnpx", "yarn", "bunx", "bun", "uvx", "uv", "pipx", "deno"]);
const interpreters = new Set(["node", "python", "python3", "deno", "bun", "ruby", "tsx", "uv"]);
/** Programs that start containers. They need more access than a sandbox allows. */
const containers = new Set(["docker", "podman", "nerdctl"]);

/**
 * Infers the least access with which a server is expected to work. The server may read its script and the project, and
 * write to the paths in its arguments. An installed filesystem server gets no network access. Every other server gets
 * network access. Returns undefined if the server cannot run in a sandbox.
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

/** Returns the existing path that an argument names, either as the whole argument or after an option and `=`. */
async function findExistingPath(arg: string, cwd: string | undefined): Promise<string | undefined> {
  const text = arg.replace(/^--?[\w-]+=/, "");
  if (!isAbsolute(text) && (cwd === undefined || !/^\.{1,2}(?:\/|$)/.test(text))) return undefined;
  const path = resolve(cwd ?? "/", text);
  return (await pathExists(path)) && path !== "/" ? path : undefined;
}

/**
 * Returns the folder that contains a script and its imports. If the script is in a `node_modules` folder, returns that
 * folder. If not, returns the script's project, but never the whole home folder.
 */
async function findCodeFolder(script: string, where: ClientLocation): Promise<string> {
  const modules = script.indexOf(`${sep}node_modules${sep}`);
  if (modules >= 0) return script.slice(0, modules + `${sep}node_modules`.length);
  for (let folder = dirname(script); !(await containsHome(folder, where)); folder = dirname(folder))
    for (const mark of ["node_modules", "package.json", "pyproject.toml", ".venv"])
      if (await pathExists(join(folder, mark))) return folder;
  return (await containsHome(dirname(script), where)) ? script : dirname(script);
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
