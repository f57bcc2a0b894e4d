import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Capability, OpenAdapter } from "@paraph/core";
import { createGitCapabilities, createGitContext, git, gitConfig } from "./index.ts";

export { createTestContext, parseTestInput, performCapability, readFault } from "../testing.ts";

/** A real repository for the tests of this adapter, created with git as a person would. */
export interface GitFixture extends AsyncDisposable {
  /** The folder that contains the repository and everything next to it. */
  readonly base: string;
  readonly root: string;
  readonly adapter: OpenAdapter;
  /** Runs git as a person does, outside the adapter, and returns its output without the last line end. */
  git(...args: string[]): string;
  write(path: string, content: string): Promise<void>;
  capability(verb: string): Capability;
  open(options?: FixtureOptions): Promise<void>;
}

/**
 * The configuration of the adapter. By default, the adapter runs git without the sandbox. If git then starts an
 * unwanted program, that program can leave a trace for the test.
 */
type FixtureOptions = Partial<Parameters<typeof git>[0]> & { sandboxed?: boolean };

export async function createGitFixture({
  sandboxed: boxed = false,
  ...first
}: FixtureOptions = {}): Promise<GitFixture> {
  const base = await realpath(await mkdtemp(join(tmpdir(), "paraph-git-ground-")));
  const root = join(base, "repository");
  const run = (...args: string[]) => runUserGit(root, ...args);
  const write = async (path: string, content: string) => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  };
  await write("a.txt", "one\ntwo\nthree\n");
  await write("docs/b.txt", "b\n");
  run("init", "--quiet", "--initial-branch=main", "--template=");
  for (const folder of ["info", "hooks"]) await mkdir(join(root, ".git", folder), { recursive: true });
  run("add", ".");
  run("commit", "--quiet", "--message=First");
  let adapter: OpenAdapter;
  let capabilities: readonly Capability[];
  const open = async ({ sandboxed, ...more }: FixtureOptions = {}) => {
    const configured = { repository: "repository", ...first, ...more };
    adapter = await git(configured).open(createGitAdapterContext(base));
    capabilities = await adapter.capabilities();
    if (sandboxed ?? boxed) return;
    const gitContext = await createGitContext("git", base, gitConfig.parse(configured));
    capabilities = createGitCapabilities({ ...gitContext, isSandboxed: false });
  };
  await open();
  return {
    base,
    root,
    get adapter() {
      return adapter;
    },
    git: run,
    write,
    open,
    capability: (verb) => capabilities.find(({ contract }) => contract.name === `git.${verb}`)!,
    [Symbol.asyncDispose]: () => rm(base, { recursive: true, force: true }),
  };
}

/**
 * Creates a fixture with a branch `side`, which changes one file and adds another. The branch `main` is checked out.
 */
export async function createFixtureWithSide(options: FixtureOptions = {}): Promise<GitFixture> {
  const fixture = await createGitFixture(options);
  fixture.git("checkout", "--quiet", "-b", "side");
  await fixture.write("a.txt", "one\ntwo\nthree\nside\n");
  await fixture.write("new/side.txt", "side\n");
  fixture.git("add", ".");
  fixture.git("commit", "--quiet", "--message=Side");
  fixture.git("checkout", "--quiet", "main");
  return fixture;
}

export function readWorktreeStatus(fixture: GitFixture): string {
  return fixture.git("status", "--porcelain");
}

export function createGitAdapterContext(folder: string) {
  return {
    name: "git",
    folder,
    signal: new AbortController().signal,
    credential: () => Promise.reject(new Error("no credentials here")),
    announceChange: () => {},
  };
}

/** Runs git without any settings of this machine. */
export function runUserGit(root: string, ...args: string[]): string {
  const person = { NAME: "Pia", EMAIL: "pia@example.org" };
  return execFileSync("git", args, {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      HOME: "/nonexistent",
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_AUTHOR_NAME: person.NAME,
      GIT_AUTHOR_EMAIL: person.EMAIL,
      GIT_COMMITTER_NAME: person.NAME,
      GIT_COMMITTER_EMAIL: person.EMAIL,
    },
  }).replace(/\n$/, "");
}
