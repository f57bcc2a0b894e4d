import { CapabilityError } from "@paraph/core";
import { formatName } from "../../format-text.ts";
import { isParaphFolder } from "../../paraph-folder.ts";
import type { Repository } from "../repository/repository.ts";

/** A file in two trees, where null means that the tree does not contain it. */
export interface TreeChange {
  readonly path: string;
  readonly from: FileVersion | null;
  readonly to: FileVersion | null;
}

export interface FileVersion {
  readonly mode: string;
  readonly oid: string;
}

/** Lists every file that differs between two trees, where null is the empty tree. */
export async function listTreeChanges(
  repository: Repository,
  from: string | null,
  to: string | null,
): Promise<TreeChange[]> {
  const [before, after] = [from ?? getEmptyTree(repository), to ?? getEmptyTree(repository)];
  // Without `--ignore-submodules=none`, `.gitmodules` could hide submodules.
  const { stdout } = await repository.git([
    ...["diff-tree", "-r", "--raw", "-z", "--no-renames", "--no-abbrev", "--ignore-submodules=none"],
    ...["--end-of-options", before, after],
  ]);
  const words = stdout.toString("utf8").split("\0").filter(Boolean);
  const entries: TreeChange[] = [];
  for (let at = 0; at + 1 < words.length; at += 2) {
    const [, oldMode, newMode, oldOid, newOid] = /^:(\d+) (\d+) (\w+) (\w+)/.exec(words[at]!) ?? [];
    const version = (mode: string, oid: string) => (/^0+$/.test(mode) ? null : { mode, oid });
    entries.push({ path: words[at + 1]!, from: version(oldMode!, oldOid!), to: version(newMode!, newOid!) });
  }
  return entries;
}

/** Returns the id of the empty tree, which git knows even if the repository does not contain it. */
export function getEmptyTree({ config }: Repository): string {
  return config.trusted.get("extensions.objectformat") === "sha256"
    ? "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
    : "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
}

/** Rejects submodules, which are other repositories, and filters, which are programs that Paraph does not run. */
export async function requirePlainFiles(
  repository: Repository,
  entries: readonly TreeChange[],
): Promise<void> {
  // [TRUST 12] This check comes before the preview, because the preview would otherwise contain Paraph's keys.
  if (entries.some(({ path }) => path.split("/").some(isParaphFolder)))
    throw new CapabilityError(
      "permanent",
      "own-folder",
      "The files include Paraph's own folder, which contains its keys. Name other files, or add `.paraph` to `.gitignore`.",
    );
  const link = entries.find(({ from, to }) => from?.mode === gitlinkMode || to?.mode === gitlinkMode);
  if (link) {
    throw new CapabilityError(
      "permanent",
      "submodule-refused",
      `${formatName(link.path)} is a submodule, and Paraph does not change submodules. Change it with git on the command line.`,
    );
  }
  if (entries.length === 0) return;
  const { stdout } = await repository.git(["check-attr", "-z", "--stdin", "filter"], {
    stdin: entries.map(({ path }) => `${path}\0`).join(""),
  });
  const words = stdout.toString("utf8").split("\0");
  for (let at = 0; at + 2 < words.length; at += 3) {
    if (["unspecified", "unset", "set"].includes(words[at + 2]!)) continue;
    throw new CapabilityError(
      "permanent",
      "filter-refused",
      `${formatName(words[at]!)} has a git filter, and Paraph does not run filter programs. Change this file with git on the command line.`,
    );
  }
}

const gitlinkMode = "160000";
