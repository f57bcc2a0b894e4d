import { lstat, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { CapabilityError } from "@paraph/core";
import { formatName } from "../../format-text.ts";
import type { Repository } from "../repository/repository.ts";
import type { FileVersion, TreeChange } from "./tree-changes.ts";

/**
 * Rejects the move of a checked-out branch if it would overwrite a person's work. In the worktree and the index, each
 * file that the move changes must equal its old or its new version.
 */
export async function requireCleanPaths(
  repository: Repository,
  entries: readonly TreeChange[],
): Promise<void> {
  for (const entry of entries) await requireFreePlace(repository, entry);
  const notOld = await listChangedPaths(repository, entries, "from");
  const notNew = await listChangedPaths(repository, entries, "to");
  const staged = await readStaged(repository);
  for (const { path, from, to } of entries) {
    const asStaged = [from, to].some(
      (version) => staged.get(path) === (version ? toVersionKey(version) : undefined),
    );
    if ((notOld.has(path) && notNew.has(path)) || !asStaged) throw pathBlockedFault(path);
  }
}

/** Rejects a folder at the path of a new file, and a file or link at the path of a needed folder. */
async function requireFreePlace({ context }: Repository, { path, to }: TreeChange): Promise<void> {
  if (to === null) return;
  const kind = await readPathKind(join(context.root, path));
  if (kind === "folder") throw pathBlockedFault(path);
  for (let above = dirname(path); above !== "."; above = dirname(above)) {
    const found = await readPathKind(join(context.root, above));
    if (found === "other") throw pathBlockedFault(above);
    if (found === "folder") break;
  }
}

/**
 * Lists the files whose worktree version differs from the version of the given side. The list includes existing files
 * that this side does not have.
 */
async function listChangedPaths(
  repository: Repository,
  entries: readonly TreeChange[],
  side: "from" | "to",
): Promise<Set<string>> {
  const env = { GIT_INDEX_FILE: join(repository.folder, `index-${side}`) };
  await rm(env.GIT_INDEX_FILE, { force: true });
  await repository.git(["update-index", "-z", "--index-info"], {
    env,
    stdin: toIndexInfo(
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
    if (version === null && (await readPathKind(join(repository.context.root, path))) !== "absent")
      changed.add(path);
  return changed;
}

async function readStaged(repository: Repository): Promise<ReadonlyMap<string, string>> {
  const { stdout } = await repository.git(["ls-files", "--stage", "-z"]);
  const lines = stdout.toString("utf8").split("\0").filter(Boolean);
  return new Map(
    lines.map((line) => {
      const [, mode, oid, path] = /^(\d+) (\w+) \d\t(.*)$/s.exec(line)!;
      return [path!, toVersionKey({ mode: mode!, oid: oid! })];
    }),
  );
}

function toVersionKey({ mode, oid }: FileVersion): string {
  return `${mode} ${oid}`;
}

/** Formats entries for `update-index --index-info`, where mode 0 removes a file. */
export function toIndexInfo(entries: readonly TreeChange[], side: "from" | "to"): string {
  return entries
    .map(({ path, from, to, [side]: version }) => {
      const { mode, oid } = version ?? { mode: "0", oid: "0".repeat((from ?? to)!.oid.length) };
      return `${mode} ${oid}\t${path}\0`;
    })
    .join("");
}

async function readPathKind(path: string): Promise<"absent" | "folder" | "other"> {
  const found = await lstat(path).catch(() => undefined);
  return found === undefined ? "absent" : found.isDirectory() ? "folder" : "other";
}

function pathBlockedFault(path: string): CapabilityError {
  return new CapabilityError(
    "permanent",
    "in-the-way",
    `The worktree has uncommitted changes at ${formatName(path)}, or another file or folder blocks this path. Commit the changes, or remove what blocks the path.`,
  );
}
