import { copyFile, mkdir, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type ProcessResult, runProcess } from "../../process/index.ts";
import type { GitContext } from "../context.ts";
import { type Head, parseHead } from "../refs/head.ts";
import { createCallFolder } from "./call-folder.ts";
import { formatGitConfig } from "./git-config.ts";
import { toGitFault } from "./git-fault.ts";
import { readSmallFile, repositoryRefusedFault, requireLayout } from "./layout.ts";
import { parseConfig, type RepositoryConfig } from "./trusted-config.ts";

/**
 * A repository, opened for one call. Git is not run in the repository's own `.git` but in a git folder of our making
 * beside it, with our configuration and no hooks, whose refs are links to the real ones. So nothing the repository
 * says about programs is ever read, whoever wrote it there and however late.
 */
export interface Repository {
  readonly context: GitContext;
  /** The repository's own git folder. */
  readonly gitFolder: string;
  /** Ours, which is gone afterwards. */
  readonly folder: string;
  readonly head: Head;
  readonly config: RepositoryConfig;
  /** Runs git and gives back what it put out; any exit code but 0 and those allowed is a fault. */
  git(args: readonly string[], options?: GitOptions): Promise<ProcessResult>;
}

export interface GitOptions {
  /** What it is for, as a fault would name it. */
  readonly what?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string | Uint8Array;
  /** Exit codes besides 0 that are an answer. */
  readonly allow?: readonly number[] | "any";
  readonly maxBytes?: number;
  /** From here on, being stopped says nothing about what happened. */
  readonly effect?: boolean;
}

export interface RepositoryAccess {
  /** To look: the repository is read-only and new objects go to our folder, so that nothing changes. */
  readonly to: "look" | "write";
  readonly signal: AbortSignal;
  /** Where a remote is spoken to. */
  readonly remote?: { readonly protocol: string; readonly folder?: string };
}

export async function withRepository<T>(
  setting: GitContext,
  opening: RepositoryAccess,
  body: (repository: Repository) => Promise<T>,
): Promise<T> {
  await requireLayout(setting.root);
  const folder = await createCallFolder();
  try {
    return await body(await openRepository(setting, opening, folder));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function openRepository(
  setting: GitContext,
  opening: RepositoryAccess,
  folder: string,
): Promise<Repository> {
  const { root } = setting;
  const gitFolder = join(root, ".git");
  const config = await readRepositoryConfig(setting, opening.signal);
  const head = parseHead(await readSmallFile(root, "HEAD"));
  await Promise.all([
    writeFile(join(folder, "config"), formatGitConfig(config.trusted, opening.remote?.protocol)),
    writeFile(join(folder, "HEAD"), head.kind === "branch" ? `ref: ${head.ref}\n` : `${head.commit}\n`),
    ...["refs", "packed-refs", "logs"].map((name) => symlink(join(gitFolder, name), join(folder, name))),
    copyGitFiles(root, folder),
    prepareObjects(gitFolder, folder),
    copyIndex(gitFolder, folder),
  ]);
  return {
    context: setting,
    gitFolder,
    folder,
    head,
    config,
    git: (args, options) => runGit(setting, opening, folder, args, options),
  };
}

/** What has no names of programs in it: which files are left out, how they are written, and where history is cut. */
async function copyGitFiles(root: string, folder: string): Promise<void> {
  await mkdir(join(folder, "info"));
  for (const name of ["info/exclude", "shallow"]) {
    const content = await readSmallFile(root, name);
    if (content !== undefined) await writeFile(join(folder, name), content);
  }
  const attributes = (await readSmallFile(root, "info/attributes")) ?? Buffer.alloc(0);
  await writeFile(join(folder, "info/attributes"), Buffer.concat([attributes, showAllText]));
}

/** [TRUST 6] Takes precedence over every `.gitattributes`, where a `-diff` would hide the text of a file. */
const showAllText = Buffer.from("\n* !diff\n");

async function prepareObjects(gitFolder: string, folder: string): Promise<void> {
  await mkdir(join(folder, "objects/info"), { recursive: true });
  await writeFile(join(folder, "objects/info/alternates"), `${join(gitFolder, "objects")}\n`);
}

/** No newer than the original: git reads files again that were written as late as the index itself. */
export async function copyIndex(gitFolder: string, folder: string): Promise<void> {
  const [from, to] = [join(gitFolder, "index"), join(folder, "index")];
  await rm(to, { force: true });
  const found = await stat(from).catch(() => undefined);
  if (found === undefined) return;
  await copyFile(from, to);
  const seconds = Math.floor(found.mtimeMs / 1000);
  await utimes(to, seconds, seconds);
}

async function runGit(
  setting: GitContext,
  { to, signal, remote }: RepositoryAccess,
  folder: string,
  args: readonly string[],
  { what = "Looking at the repository", env, stdin, allow = [], maxBytes, effect = false }: GitOptions = {},
): Promise<ProcessResult> {
  const { root, isSandboxed: sandboxed } = setting;
  const others = remote?.folder === undefined ? [] : [remote.folder];
  const [read, write] = to === "look" ? [[root], [folder, ...others]] : [[], [root, folder, ...others]];
  const ran = await runProcess({
    binary: "git",
    args: ["--no-pager", "--literal-pathspecs", ...args],
    cwd: root,
    signal,
    env: {
      ...gitEnvironment,
      GIT_DIR: folder,
      GIT_WORK_TREE: root,
      GIT_INDEX_FILE: join(folder, "index"),
      GIT_OBJECT_DIRECTORY: join(to === "look" ? folder : join(root, ".git"), "objects"),
      ...env,
    },
    ...(stdin !== undefined && { stdin }),
    maxOutputBytes: maxBytes ?? maxGitOutputBytes,
    whenTooMuch: maxBytes === undefined ? "stop" : "cut",
    ...(sandboxed && { sandbox: { read, write, network: remote !== undefined } }),
  });
  const answered = ran.end === "exited" && ran.exitCode !== undefined && ran.signal === undefined;
  if (answered && (ran.exitCode === 0 || allow === "any" || allow.includes(ran.exitCode!))) return ran;
  throw toGitFault(ran, what, effect);
}

const gitEnvironment = {
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_TERMINAL_PROMPT: "0",
  GIT_NO_LAZY_FETCH: "1",
  GIT_NO_REPLACE_OBJECTS: "1",
  LC_ALL: "C.UTF-8",
  TZ: "UTC",
};

const maxGitOutputBytes = 32 * 1024 * 1024;

const configCache = new WeakMap<GitContext, { readonly text: Buffer; readonly config: RepositoryConfig }>();

/** Git reads the text alone, from its standard input: includes are not followed, and no repository is near. */
async function readRepositoryConfig(setting: GitContext, signal: AbortSignal): Promise<RepositoryConfig> {
  const text = (await readSmallFile(setting.root, "config")) ?? Buffer.alloc(0);
  const last = configCache.get(setting);
  if (last?.text.equals(text)) return last.config;
  const ran = await runProcess({
    binary: "git",
    args: ["config", "--file", "-", "--no-includes", "--list", "-z"],
    cwd: "/",
    env: { ...gitEnvironment, GIT_CEILING_DIRECTORIES: "/", GIT_DIR: "/nonexistent" },
    stdin: text,
    signal,
    ...(setting.isSandboxed && { sandbox: {} }),
  });
  if (ran.end !== "exited") throw toGitFault(ran, "Reading the repository's configuration", false);
  if (ran.exitCode !== 0) throw repositoryRefusedFault("its configuration cannot be read");
  const config = parseConfig(ran.stdout);
  if (config.refusal !== undefined) throw repositoryRefusedFault(config.refusal);
  configCache.set(setting, { text, config });
  return config;
}
