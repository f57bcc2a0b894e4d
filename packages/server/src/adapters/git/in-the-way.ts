import { lstat, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { CapabilityError } from "@paraph/core";
import type { Entry, Version } from "./entries.ts";
import type { Repository } from "./repository.ts";
import { shown } from "./words.ts";

/**
 * Before a branch that is checked out moves: every file that changes with it must be as the branch has it now, or
 * already as it will be, in the worktree and in the index. What somebody is working on is never written over.
 */
export async function demandNothingInTheWay(
  repository: Repository,
  entries: readonly Entry[],
): Promise<void> {
  for (const entry of entries) await demandPlace(repository, entry);
  const notOld = await changedFrom(repository, entries, "from");
  const notNew = await changedFrom(repository, entries, "to");
  const staged = await stagedIn(repository);
  for (const { path, from, to } of entries) {
    const asStaged = [from, to].some(
      (version) => staged.get(path) === (version ? keyOf(version) : undefined),
    );
    if ((notOld.has(path) && notNew.has(path)) || !asStaged) throw inTheWay(path);
  }
}

/** Neither a folder where a file goes, nor a file or a link where a folder is needed. */
async function demandPlace({ setting }: Repository, { path, to }: Entry): Promise<void> {
  if (to === null) return;
  const kind = await kindAt(join(setting.root, path));
  if (kind === "folder") throw inTheWay(path);
  for (let above = dirname(path); above !== "."; above = dirname(above)) {
    const found = await kindAt(join(setting.root, above));
    if (found === "other") throw inTheWay(above);
    if (found === "folder") break;
  }
}

/** The files that are not in the worktree as this side has them; where it has none, those that are there at all. */
async function changedFrom(
  repository: Repository,
  entries: readonly Entry[],
  side: "from" | "to",
): Promise<Set<string>> {
  const env = { GIT_INDEX_FILE: join(repository.folder, `index-${side}`) };
  await rm(env.GIT_INDEX_FILE, { force: true });
  await repository.git(["update-index", "-z", "--index-info"], {
    env,
    stdin: infoOf(
      entries.filter((entry) => entry[side] !== null),
      side,
    ),
  });
  const { stdout } = await repository.git(
    ["diff", "--no-ext-diff", "--name-only", "-z", "--no-renames", "--ignore-submodules=all"],
    { env },
  );
  const changed = new Set(stdout.toString("utf8").split("\0").filter(Boolean));
  for (const { path, [side]: version } of entries)
    if (version === null && (await kindAt(join(repository.setting.root, path))) !== "absent")
      changed.add(path);
  return changed;
}

async function stagedIn(repository: Repository): Promise<ReadonlyMap<string, string>> {
  const { stdout } = await repository.git(["ls-files", "--stage", "-z"]);
  const lines = stdout.toString("utf8").split("\0").filter(Boolean);
  return new Map(
    lines.map((line) => {
      const [, mode, oid, path] = /^(\d+) (\w+) \d\t(.*)$/s.exec(line)!;
      return [path!, keyOf({ mode: mode!, oid: oid! })];
    }),
  );
}

function keyOf({ mode, oid }: Version): string {
  return `${mode} ${oid}`;
}

/** As `update-index --index-info` reads it: mode 0 takes a file out. */
export function infoOf(entries: readonly Entry[], side: "from" | "to"): string {
  return entries
    .map(({ path, from, to, [side]: version }) => {
      const { mode, oid } = version ?? { mode: "0", oid: "0".repeat((from ?? to)!.oid.length) };
      return `${mode} ${oid}\t${path}\0`;
    })
    .join("");
}

async function kindAt(path: string): Promise<"absent" | "folder" | "other"> {
  const found = await lstat(path).catch(() => undefined);
  return found === undefined ? "absent" : found.isDirectory() ? "folder" : "other";
}

function inTheWay(path: string): CapabilityError {
  return new CapabilityError(
    "permanent",
    "in-the-way",
    `${shown(path)} is being worked on, or something else is in its place: commit it or take it away first.`,
  );
}
