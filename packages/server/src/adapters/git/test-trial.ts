import { cp, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { OpenAdapter } from "@paraph/core";
import { type Case, defineTrial, type Ground } from "../conformance/trial.ts";
import { git } from "./index.ts";
import { type Host, host } from "./test-host.ts";
import { everythingIn } from "./test-picture.ts";
import { personsGit } from "./testing.ts";

type There = { readonly url: string; readonly remote: string };

/** In the process of the suite: it outlives those that are killed. */
let remote: Host | undefined;

/** Everything takes minutes: that is for the laboratory, which says how often. Else those with an effect of their own. */
const everything = process.env.PARAPH_TRIAL_CRASHES !== undefined;
const always = ["git.commit", "git.revert", "git.push", "git.push_force"];
const isTried = (name: string) => everything || always.includes(name);
/** Its effect is the one step of git's that another's is too: killed only where everything is. */
const rarely = everything ? {} : { crashes: 0 };

const person = ({ folder }: Ground, ...args: string[]) => personsGit(join(folder, "repository"), ...args);

const moved = (branch: string) => async (ground: Ground) => goneOn(join(ground.folder, "repository"), branch);
const movedThere = async (ground: Ground<There>) => goneOn(ground.remote, "main");
const silent = {
  begin: async () => {
    remote!.mood = "silent";
  },
};

const cases: Case<There>[] = [
  { capability: "git.status", input: {} },
  { capability: "git.diff", input: {} },
  { capability: "git.log", input: {} },
  {
    capability: "git.commit",
    input: { message: "Changed", paths: ["."] },
    move: ({ folder }) => writeFile(join(folder, "repository/c.txt"), "somebody else's\n"),
  },
  { capability: "git.merge", input: { from: "side" }, move: moved("side") },
  { capability: "git.revert", input: { commit: "main~1" }, move: moved("main"), ...rarely },
  {
    capability: "git.branch_create",
    input: { name: "new" },
    move: async (ground) => void person(ground, "branch", "new", "side"),
    ...rarely,
  },
  { capability: "git.branch_delete", input: { name: "side" }, move: moved("side"), ...rarely },
  {
    capability: "git.tag_create",
    input: { name: "v2", message: "Two" },
    move: async (ground) => void person(ground, "tag", "v2", "side"),
    ...rarely,
  },
  {
    capability: "git.tag_delete",
    input: { name: "v1" },
    move: async (ground) => void person(ground, "tag", "--force", "v1", "side"),
    ...rarely,
  },
  { capability: "git.fetch", input: {}, slow: silent, ...rarely },
  { capability: "git.push", input: { branch: "main" }, move: movedThere, slow: silent },
  { capability: "git.push_force", input: { branch: "main", commit: "side" }, move: movedThere, ...rarely },
];

export default defineTrial<There>({
  name: "git",
  credentials: { GIT_TOKEN: "trial-5ecret-token" },
  prepare: async ({ folder }) => {
    remote = await host(folder, "trial-5ecret-token");
    const ground = { folder, url: remote.url, remote: remote.folder };
    await begin(ground);
    await cp(join(folder, "repository"), join(folder, "start"), kept);
    await cp(ground.remote, join(folder, "start.git"), kept);
    return ground;
  },
  cleanup: async () => remote?.[Symbol.asyncDispose](),
  adapter: ({ url }) => {
    const whole = git({
      repository: "repository",
      remotes: { origin: { url, credential: `\${GIT_TOKEN}` } },
    });
    return { kind: whole.kind, open: async (setting) => tried(await whole.open(setting)) };
  },
  reset: async ({ folder, remote: there }) => {
    remote!.mood = "well";
    for (const [from, to] of [
      ["start", join(folder, "repository")],
      ["start.git", there],
    ] as const) {
      await rm(to, { recursive: true, force: true });
      await cp(join(folder, from), to, kept);
    }
  },
  /** Commits by what they say and hold, since their ids hold the time; what a lock or a draft leaves behind shows. */
  picture: async (ground) => {
    const root = join(ground.folder, "repository");
    const own = await readdir(join(root, ".git"), { recursive: true });
    const worktree = (await everythingIn(root, false)).split("\n");
    return [
      ...refsOf(root),
      ...refsOf(ground.remote).map((line) => `remote ${line}`),
      ...person(ground, "status", "--porcelain")
        .split("\n")
        .filter((line) => line !== "" && !worked.includes(line.trim())),
      ...own.filter((name) => /\.lock$|^paraph/.test(name)),
      ...worktree.filter((line) => !/^\["(?:\.git["/]|c\.txt"|new\.txt")/.test(line)),
    ].join("\n");
  },
  cases: cases.filter(({ capability }) => isTried(capability)),
});

function tried(open: OpenAdapter): OpenAdapter {
  return {
    ...open,
    capabilities: async () => (await open.capabilities()).filter(({ contract }) => isTried(contract.name)),
  };
}

const kept = { recursive: true, preserveTimestamps: true };

/** What somebody works on. A revert of its commit takes it along, so whether it is there yet says nothing. */
const worked = ["M c.txt", "?? new.txt"];

async function begin(ground: Ground<There>): Promise<void> {
  const root = join(ground.folder, "repository");
  await mkdir(root);
  const put = (path: string, content: string) => writeFile(join(root, path), content);
  const commit = (message: string) => {
    person(ground, "add", ".");
    person(ground, "commit", "--quiet", `--message=${message}`);
  };
  person(ground, "init", "--quiet", "--initial-branch=main", "--template=");
  await put("a.txt", "1\n2\n3\n4\n5\n6\n7\n");
  commit("First");
  person(ground, "tag", "v1");
  person(ground, "push", "--quiet", ground.remote, "main");
  await put("a.txt", "one\n2\n3\n4\n5\n6\n7\n");
  await put("b.txt", "b\n");
  commit("Second");
  await put("c.txt", "c\n");
  commit("Third");
  person(ground, "checkout", "--quiet", "-b", "side", "HEAD~2");
  for (let n = 0; n < 20; n++) await put(`side-${n}.txt`, `${n}\n`);
  commit("Side");
  person(ground, "checkout", "--quiet", "main");
  await put("c.txt", "changed\n");
  await put("new.txt", "new\n");
}

function goneOn(folder: string, branch: string): void {
  const tree = personsGit(folder, "rev-parse", `${branch}^{tree}`);
  const commit = personsGit(folder, "commit-tree", "-p", branch, "-m", "Theirs", tree);
  personsGit(folder, "update-ref", `refs/heads/${branch}`, commit);
}

function refsOf(folder: string): string[] {
  const commits = new Map(
    personsGit(folder, "log", "--all", "--format=%H|%T|%P|%s")
      .split("\n")
      .map((line) => line.split("|"))
      .map(([id, tree, parents, subject]) => [
        id!,
        { tree: tree!, parent: parents!.split(" ")[0]!, subject: subject! },
      ]),
  );
  const refs = personsGit(
    folder,
    "for-each-ref",
    "--format=%(refname)|%(objecttype)|%(objectname)|%(*objectname)",
  );
  return refs.split("\n").map((line) => {
    const [ref, type, object, peeled] = line.split("|");
    const past: Said[] = [];
    for (let at = commits.get(peeled || object!); at; at = commits.get(at.parent)) past.unshift(at);
    return `${ref} ${type} ${JSON.stringify(withoutUndone(past).map(({ tree, subject }) => [tree, subject]))}`;
  });
}

interface Said {
  readonly tree: string;
  readonly subject: string;
}

/** A commit and what takes it back are nothing together: that is what undoing means here. */
function withoutUndone(past: readonly Said[]): Said[] {
  const left: Said[] = [];
  for (const commit of past) {
    const undone = /^Revert "(.*)"$/s.exec(commit.subject)?.[1];
    if (undone !== undefined && left.at(-1)?.subject === undone && left.at(-2)?.tree === commit.tree)
      left.pop();
    else left.push(commit);
  }
  return left;
}
