import { CapabilityError } from "@paraph/core";
import { isParaphFolder } from "../../paraph-folder.ts";
import { formatName } from "../format.ts";
import type { Repository } from "../repository/repository.ts";

/** A file as one tree has it and as another has it; null where it does not. */
export interface TreeChange {
  readonly path: string;
  readonly from: FileVersion | null;
  readonly to: FileVersion | null;
}

export interface FileVersion {
  readonly mode: string;
  readonly oid: string;
}

/** Every file in which two trees differ. A null tree is the empty one. */
export async function listTreeChanges(
  repository: Repository,
  from: string | null,
  to: string | null,
): Promise<TreeChange[]> {
  const [before, after] = [from ?? getEmptyTree(repository), to ?? getEmptyTree(repository)];
  // Without the option, `.gitmodules` could leave submodules out.
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

/** Git knows it without having it. */
export function getEmptyTree({ config }: Repository): string {
  return config.trusted.get("extensions.objectformat") === "sha256"
    ? "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
    : "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
}

/** Submodules are other repositories, and filters are programs: neither is ours to go into or to run. */
export async function requirePlainFiles(
  repository: Repository,
  entries: readonly TreeChange[],
): Promise<void> {
  // [TRUST 12] This check comes before the preview, which would contain the keys.
  if (entries.some(({ path }) => path.split("/").some(isParaphFolder)))
    throw new CapabilityError(
      "permanent",
      "own-folder",
      "Paraph's own folder, with its keys, is among the files: name the others, or have git ignore `.paraph`.",
    );
  const link = entries.find(({ from, to }) => from?.mode === gitlinkMode || to?.mode === gitlinkMode);
  if (link) {
    throw new CapabilityError(
      "permanent",
      "submodule-refused",
      `${formatName(link.path)} is a repository of its own, which is not gone into: do it by hand.`,
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
      `${formatName(words[at]!)} goes through a filter, which is a program, and none is run here: do it by hand.`,
    );
  }
}

const gitlinkMode = "160000";
