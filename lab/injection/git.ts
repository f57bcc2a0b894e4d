import { lstat, mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createGitCapabilities, createGitContext, gitConfig } from "@paraph/adapters/git";
import type { Capability, Json } from "@paraph/core";
import { createTestContext, runUserGit } from "../../packages/adapters/src/git/testing.ts";
import type { InjectionStage, InjectionTarget } from "./target.ts";

/** Performs a capability as an agent would. Returns its output, or undefined if the adapter rejected the input. */
type UseCapability = (verb: string, input: Json) => Promise<Record<string, Json> | undefined>;

/**
 * Tries hostile values as branches, tags and revisions. A created ref must have exactly the given name and stay inside
 * the namespace of its kind.
 */
const nameTarget: InjectionTarget = {
  name: "git: names and revisions",
  share: 1,
  prepare: (folder) =>
    createStage(folder, async (value, use, wrong) => {
      await use("log", { of: value, without: value });
      await use("diff", { from: value, to: `main${value}` });
      await use("merge", { from: value });
      await use("push", { branch: "main", as: value, remote: "origin" });
      await use("push", { branch: "main", remote: value });
      for (const [make, take, kind] of [
        ["branch_create", "branch_delete", "heads"],
        ["tag_create", "tag_delete", "tags"],
      ] as const) {
        if ((await use(make, { name: value })) === undefined) continue;
        const listed = runUserGit(join(folder, "repository"), "for-each-ref", "--format=%(refname)");
        if (!listed.split("\n").includes(`refs/${kind}/${value}`)) wrong(`\`${make}\` made another name`);
        await use(take, { name: value });
      }
    }),
};

/**
 * Tries hostile values as paths, messages and authors. The commit must have exactly these values and contain nothing
 * from outside the repository.
 */
const commitTarget: InjectionTarget = {
  name: "git: paths, messages and authors",
  share: 1,
  prepare: (folder) =>
    createStage(folder, async (value, use, wrong) => {
      const root = join(folder, "repository");
      await writeFile(join(root, "file"), value);
      const author = { name: value.slice(0, 200) || "x", email: value.slice(0, 200) || "x" };
      await use("commit", { message: "m", paths: ["file"], author });
      await writeFile(join(root, "file"), `${value}.`);
      const done = await use("commit", { message: value, paths: ["file"] });
      const said = done && runUserGit(root, "log", "-1", "--format=%B");
      if (said !== undefined && said.trim() !== value.replaceAll(/\r\n?/g, "\n").trim())
        wrong("a message is another");
      await writeFileAt(root, value);
      const placed = await use("commit", { message: "m", paths: [value, `out/${value}`] });
      const alone = await use("commit", { message: "m", paths: [value] });
      if (placed !== undefined) wrong("something behind a link was committed");
      if (alone !== undefined && runUserGit(root, "log", "-1", "-p").includes("kept outside"))
        wrong("what lies outside was committed");
      await use("diff", { paths: [value] });
      await use("log", { paths: [value] });
    }),
};

export const gitTargets: readonly InjectionTarget[] = [nameTarget, commitTarget];

/** Creates a repository without the sandbox, so that every escape leaves a trace. */
async function createStage(
  folder: string,
  through: (value: string, use: UseCapability, wrong: (what: string) => void) => Promise<void>,
): Promise<InjectionStage> {
  const root = join(folder, "repository");
  for (const each of ["repository", "outside"]) await mkdir(join(folder, each));
  await writeFile(join(folder, "outside/kept"), "kept outside");
  runUserGit(folder, "init", "--quiet", "--bare", "remote.git");
  runUserGit(root, "init", "--quiet", "--initial-branch=main", "--template=");
  await writeFile(join(root, "file"), "first");
  await symlink("../outside", join(root, "out"));
  runUserGit(root, "add", ".");
  runUserGit(root, "commit", "--quiet", "--message=First");
  const remotes = { origin: { url: `file://${join(folder, "remote.git")}` } };
  const configured = gitConfig.parse({ repository: "repository", remotes });
  const setting = { ...(await createGitContext("git", folder, configured)), sandboxed: false };
  const capabilities = new Map(createGitCapabilities(setting).map((each) => [each.contract.name, each]));
  const inGit = await readdir(join(root, ".git"));
  const seen: string[] = [];
  let reached = 0;
  const use: UseCapability = async (verb, raw) => {
    const output = await runCapability(capabilities.get(`git.${verb}`)!, raw);
    if (output !== undefined) reached += 1;
    return output;
  };
  let turn = Promise.resolve();
  return {
    // Values run one at a time, as the capabilities' lock requires.
    put(value) {
      turn = turn.then(() => through(value, use, (what) => seen.push(what)));
      return turn;
    },
    async escapes() {
      const beside = (await readdir(folder)).filter(
        (name) => !["repository", "outside", "remote.git"].includes(name),
      );
      const kept = await readdir(join(folder, "outside"));
      const added = (await readdir(join(root, ".git"))).filter(
        (name) => !inGit.includes(name) && name !== "logs",
      );
      return [
        ...seen.splice(0),
        ...beside.map((name) => `\`${name}\` came to be beside the repository`),
        ...(kept.length === 1 ? [] : ["something came to be outside"]),
        ...added.map((name) => `\`${name}\` came to be in git's own folder`),
      ];
    },
    reached: () => reached,
    close: async () => {},
  };
}

/** Writes a file with this name, if the file system accepts the name and the path stays inside the root. */
async function writeFileAt(root: string, value: string): Promise<void> {
  const path = join(root, value);
  if (value.includes("\0") || !path.startsWith(`${root}/`) || /(^|\/)(\.git|out)(\/|$)/i.test(value)) return;
  const there = await lstat(path).then(
    () => true,
    () => false,
  );
  if (there) return;
  await mkdir(dirname(path), { recursive: true }).catch(() => {});
  await writeFile(path, "placed").catch(() => {});
}

async function runCapability(capability: Capability, raw: Json): Promise<Record<string, Json> | undefined> {
  const input = capability.parseInput(raw);
  if (input.kind === "invalid") return undefined;
  try {
    capability.locks(input.value);
    const preview = await capability.preview?.(input.value, createTestContext());
    return (await capability.apply(input.value, createTestContext({ basis: preview?.basis }))) as Record<
      string,
      Json
    >;
  } catch {
    // The adapter may reject the value.
    return undefined;
  }
}
