import { cp, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { OpenAdapter } from "@paraph/core";
import {
  type ConformanceCase,
  defineConformanceTest,
  type Fixture,
} from "../conformance/conformance-test.ts";
import { git } from "./index.ts";
import { type GitHost, startGitHost } from "./test-host.ts";
import { snapshotTree } from "./test-snapshot.ts";
import { runUserGit } from "./testing.ts";

type HostFixture = { readonly url: string; readonly remote: string };

/** The host runs in the process of the suite, which outlives the killed processes. */
let remote: GitHost | undefined;

/**
 * Whether all capabilities are tested, which takes minutes. By default the suite tests only those with a distinct
 * effect.
 */
const runsEverything = process.env.PARAPH_CONFORMANCE_CRASHES !== undefined;
const alwaysTested = ["git.commit", "git.revert", "git.push", "git.push_force"];
const isTested = (name: string) => runsEverything || alwaysTested.includes(name);
/**
 * The options for a capability whose effect uses the same git command as another capability. The suite skips the crash
 * verification of such a capability unless all capabilities are tested.
 */
const rareCrashes = runsEverything ? {} : { crashes: 0 };

const runInRepository = ({ folder }: Fixture, ...args: string[]) =>
  runUserGit(join(folder, "repository"), ...args);

const moveBranch = (branch: string) => async (fixture: Fixture) =>
  addCommit(join(fixture.folder, "repository"), branch);
const moveRemoteBranch = async (fixture: Fixture<HostFixture>) => addCommit(fixture.remote, "main");
const silentHost = {
  begin: async () => {
    remote!.behavior = "silent";
  },
};

const cases: ConformanceCase<HostFixture>[] = [
  { capability: "git.status", input: {} },
  { capability: "git.diff", input: {} },
  { capability: "git.log", input: {} },
  {
    capability: "git.commit",
    input: { message: "Changed", paths: ["."] },
    changeBasis: ({ folder }) => writeFile(join(folder, "repository/c.txt"), "somebody else's\n"),
  },
  { capability: "git.merge", input: { from: "side" }, changeBasis: moveBranch("side") },
  { capability: "git.revert", input: { commit: "main~1" }, changeBasis: moveBranch("main"), ...rareCrashes },
  {
    capability: "git.branch_create",
    input: { name: "new" },
    changeBasis: async (ground) => void runInRepository(ground, "branch", "new", "side"),
    ...rareCrashes,
  },
  {
    capability: "git.branch_delete",
    input: { name: "side" },
    changeBasis: moveBranch("side"),
    ...rareCrashes,
  },
  {
    capability: "git.tag_create",
    input: { name: "v2", message: "Two" },
    changeBasis: async (ground) => void runInRepository(ground, "tag", "v2", "side"),
    ...rareCrashes,
  },
  {
    capability: "git.tag_delete",
    input: { name: "v1" },
    changeBasis: async (ground) => void runInRepository(ground, "tag", "--force", "v1", "side"),
    ...rareCrashes,
  },
  { capability: "git.fetch", input: {}, slow: silentHost, ...rareCrashes },
  { capability: "git.push", input: { branch: "main" }, changeBasis: moveRemoteBranch, slow: silentHost },
  {
    capability: "git.push_force",
    input: { branch: "main", commit: "side" },
    changeBasis: moveRemoteBranch,
    ...rareCrashes,
  },
];

export default defineConformanceTest<HostFixture>({
  name: "git",
  credentials: { GIT_TOKEN: "trial-5ecret-token" },
  prepare: async ({ folder }) => {
    remote = await startGitHost(folder, "trial-5ecret-token");
    const ground = { folder, url: remote.url, remote: remote.folder };
    await prepareRepository(ground);
    await cp(join(folder, "repository"), join(folder, "start"), copyOptions);
    await cp(ground.remote, join(folder, "start.git"), copyOptions);
    return ground;
  },
  cleanup: async () => remote?.[Symbol.asyncDispose](),
  adapter: ({ url }) => {
    const whole = git({
      repository: "repository",
      remotes: { origin: { url, credential: `\${GIT_TOKEN}` } },
    });
    return {
      ...whole,
      open: async (adapterContext) => filterTested(await whole.open(adapterContext)),
    };
  },
  reset: async ({ folder, remote: there }) => {
    remote!.behavior = "well";
    await remote!.untilIdle();
    for (const [from, to] of [
      ["start", join(folder, "repository")],
      ["start.git", there],
    ] as const) {
      await rm(to, { recursive: true, force: true });
      await cp(join(folder, from), to, copyOptions);
    }
  },
  /**
   * Describes commits by message and tree, because their ids depend on the time. The snapshot also contains leftover
   * locks and drafts.
   */
  snapshot: async (fixture) => {
    const root = join(fixture.folder, "repository");
    const own = await readdir(join(root, ".git"), { recursive: true });
    const worktree = (await snapshotTree(root, false)).split("\n");
    return [
      ...describeRefs(root),
      ...describeRefs(fixture.remote).map((line) => `remote ${line}`),
      ...runInRepository(fixture, "status", "--porcelain")
        .split("\n")
        .filter((line) => line !== "" && !uncommittedFiles.includes(line.trim())),
      ...own.filter((name) => /\.lock$|^paraph/.test(name)),
      ...worktree.filter((line) => !/^\["(?:\.git["/]|c\.txt"|new\.txt")/.test(line)),
    ].join("\n");
  },
  triggerEvent: moveBranch("side"),
  cases: cases.filter(({ capability }) => isTested(capability)),
});

function filterTested(open: OpenAdapter): OpenAdapter {
  return {
    ...open,
    capabilities: async () => (await open.capabilities()).filter(({ contract }) => isTested(contract.name)),
  };
}

const copyOptions = { recursive: true, preserveTimestamps: true };

/**
 * The files of a person's unfinished work. The revert of a commit that includes these files also removes the unfinished
 * work, so the snapshot ignores these files.
 */
const uncommittedFiles = ["M c.txt", "?? new.txt"];

async function prepareRepository(fixture: Fixture<HostFixture>): Promise<void> {
  const root = join(fixture.folder, "repository");
  await mkdir(root);
  const put = (path: string, content: string) => writeFile(join(root, path), content);
  const commit = (message: string) => {
    runInRepository(fixture, "add", ".");
    runInRepository(fixture, "commit", "--quiet", `--message=${message}`);
  };
  runInRepository(fixture, "init", "--quiet", "--initial-branch=main", "--template=");
  await put("a.txt", "1\n2\n3\n4\n5\n6\n7\n");
  commit("First");
  runInRepository(fixture, "tag", "v1");
  runInRepository(fixture, "push", "--quiet", fixture.remote, "main");
  await put("a.txt", "one\n2\n3\n4\n5\n6\n7\n");
  await put("b.txt", "b\n");
  commit("Second");
  await put("c.txt", "c\n");
  commit("Third");
  runInRepository(fixture, "checkout", "--quiet", "-b", "side", "HEAD~2");
  for (let n = 0; n < 20; n++) await put(`side-${n}.txt`, `${n}\n`);
  commit("Side");
  runInRepository(fixture, "checkout", "--quiet", "main");
  await put("c.txt", "changed\n");
  await put("new.txt", "new\n");
}

function addCommit(folder: string, branch: string): void {
  const tree = runUserGit(folder, "rev-parse", `${branch}^{tree}`);
  const commit = runUserGit(folder, "commit-tree", "-p", branch, "-m", "Theirs", tree);
  runUserGit(folder, "update-ref", `refs/heads/${branch}`, commit);
}

function describeRefs(folder: string): string[] {
  const commits = new Map(
    runUserGit(folder, "log", "--all", "--format=%H|%T|%P|%s")
      .split("\n")
      .map((line) => line.split("|"))
      .map(([id, tree, parents, subject]) => [
        id!,
        { tree: tree!, parent: parents!.split(" ")[0]!, subject: subject! },
      ]),
  );
  const refs = runUserGit(
    folder,
    "for-each-ref",
    "--format=%(refname)|%(objecttype)|%(objectname)|%(*objectname)",
  );
  return refs.split("\n").map((line) => {
    const [ref, type, object, peeled] = line.split("|");
    const past: CommitSummary[] = [];
    for (let at = commits.get(peeled || object!); at; at = commits.get(at.parent)) past.unshift(at);
    return `${ref} ${type} ${JSON.stringify(dropReverted(past).map(({ tree, subject }) => [tree, subject]))}`;
  });
}

interface CommitSummary {
  readonly tree: string;
  readonly subject: string;
}

/**
 * Removes each commit together with its revert. An undo adds a revert, and the snapshot must then equal the snapshot
 * before the commit.
 */
function dropReverted(past: readonly CommitSummary[]): CommitSummary[] {
  const left: CommitSummary[] = [];
  for (const commit of past) {
    const undone = /^Revert "(.*)"$/s.exec(commit.subject)?.[1];
    if (undone !== undefined && left.at(-1)?.subject === undone && left.at(-2)?.tree === commit.tree)
      left.pop();
    else left.push(commit);
  }
  return left;
}
