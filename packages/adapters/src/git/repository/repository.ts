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
 * A repository that is open for one call. Git runs in a separate git folder instead of the repository's own `.git`.
 * That folder has Paraph's configuration, no hooks, and links to the real refs. Git thus never reads a program name
 * from the repository.
 */
export interface Repository {
  readonly context: GitContext;
  /** The repository's own git folder. */
  readonly gitFolder: string;
  /** The call's git folder, which Paraph deletes after the call. */
  readonly folder: string;
  readonly head: Head;
  readonly config: RepositoryConfig;
  /** Runs git and returns its output. Throws a fault if the exit code is neither 0 nor in `allow`. */
  git(args: readonly string[], options?: GitOptions): Promise<ProcessResult>;
}

export interface GitOptions {
  /** The purpose of the command, which faults mention. */
  readonly what?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string | Uint8Array;
  /** The exit codes besides 0 that are not faults. */
  readonly allow?: readonly number[] | "any";
  readonly maxBytes?: number;
  /** Whether the command performs the effect. If so, the outcome is unknown when the command is stopped. */
  readonly effect?: boolean;
}

export interface RepositoryAccess {
  /** The access to the repository. With `look` the repository is read-only, and new objects go to the call's folder. */
  readonly to: "look" | "write";
  readonly signal: AbortSignal;
  /** The remote that git communicates with, if any. */
  readonly remote?: { readonly protocol: string; readonly folder?: string };
}

export async function withRepository<T>(
  gitContext: GitContext,
  opening: RepositoryAccess,
  body: (repository: Repository) => Promise<T>,
): Promise<T> {
  await requireLayout(gitContext.root);
  const folder = await createCallFolder();
  try {
    return await body(await openRepository(gitContext, opening, folder));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function openRepository(
  gitContext: GitContext,
  opening: RepositoryAccess,
  folder: string,
): Promise<Repository> {
  const { root } = gitContext;
  const gitFolder = join(root, ".git");
  const config = await readRepositoryConfig(gitContext, opening.signal);
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
    context: gitContext,
    gitFolder,
    folder,
    head,
    config,
    git: (args, options) => runGit(gitContext, opening, folder, args, options),
  };
}

/** Copies the files that cannot name a program: ignore rules, attributes and the limits of a shallow history. */
async function copyGitFiles(root: string, folder: string): Promise<void> {
  await mkdir(join(folder, "info"));
  for (const name of ["info/exclude", "shallow"]) {
    const content = await readSmallFile(root, name);
    if (content !== undefined) await writeFile(join(folder, name), content);
  }
  const attributes = (await readSmallFile(root, "info/attributes")) ?? Buffer.alloc(0);
  await writeFile(join(folder, "info/attributes"), Buffer.concat([attributes, showAllText]));
}

/**
 * [TRUST 6] This rule takes precedence over every `.gitattributes`. Otherwise `-diff` in a `.gitattributes` file would
 * hide the text of other files.
 */
const showAllText = Buffer.from("\n* !diff\n");

async function prepareObjects(gitFolder: string, folder: string): Promise<void> {
  await mkdir(join(folder, "objects/info"), { recursive: true });
  await writeFile(join(folder, "objects/info/alternates"), `${join(gitFolder, "objects")}\n`);
}

/**
 * Copies the index with a time that is not newer than the original's. Git rereads only files that are as new as the
 * index, so a newer copy would hide changes.
 */
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
  gitContext: GitContext,
  { to, signal, remote }: RepositoryAccess,
  folder: string,
  args: readonly string[],
  { what = "Reading the repository", env, stdin, allow = [], maxBytes, effect = false }: GitOptions = {},
): Promise<ProcessResult> {
  const { root, isSandboxed } = gitContext;
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
    ...(isSandboxed && { sandbox: { read, write, network: remote !== undefined } }),
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

/**
 * Reads the repository's configuration. Paraph passes the text to git on standard input, so that git opens no
 * repository. Git also follows no includes.
 */
async function readRepositoryConfig(gitContext: GitContext, signal: AbortSignal): Promise<RepositoryConfig> {
  const text = (await readSmallFile(gitContext.root, "config")) ?? Buffer.alloc(0);
  const last = configCache.get(gitContext);
  if (last?.text.equals(text)) return last.config;
  const ran = await runProcess({
    binary: "git",
    args: ["config", "--file", "-", "--no-includes", "--list", "-z"],
    cwd: "/",
    env: { ...gitEnvironment, GIT_CEILING_DIRECTORIES: "/", GIT_DIR: "/nonexistent" },
    stdin: text,
    signal,
    ...(gitContext.isSandboxed && { sandbox: {} }),
  });
  if (ran.end !== "exited") throw toGitFault(ran, "Reading the repository's configuration", false);
  if (ran.exitCode !== 0) throw repositoryRefusedFault("its configuration cannot be read");
  const config = parseConfig(ran.stdout);
  if (config.refusal !== undefined) throw repositoryRefusedFault(config.refusal);
  configCache.set(gitContext, { text, config });
  return config;
}
