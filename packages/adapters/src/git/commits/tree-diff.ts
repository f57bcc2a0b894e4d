import type { Change } from "@paraph/core";
import { formatCount } from "../../format-text.ts";
import { decodeOutput } from "../format.ts";
import type { Repository } from "../repository/repository.ts";

/** The differences between two trees, or between a tree and the worktree. */
export interface TreeDiff {
  readonly files: readonly ChangedFile[];
  /** The unified diff, cut at the configured maximum. */
  readonly diff: string;
  readonly truncated: boolean;
}

export interface ChangedFile {
  readonly path: string;
  readonly kind: "create" | "update" | "delete";
  /** The number of lines, or undefined if the file is not text. */
  readonly added?: number;
  readonly removed?: number;
}

/** Reads the differences. `between` is one tree to compare with the worktree, or two trees. */
export async function readTreeDiff(
  repository: Repository,
  between: readonly string[],
  paths: readonly string[] = [],
): Promise<TreeDiff> {
  const base = between.length === 2 ? ["diff-tree", "-r"] : ["diff"];
  // [TRUST 6] A diff of two trees shows the commit that a submodule points to. A diff with the worktree ignores
  // submodules, because git must not enter a submodule's worktree. The submodule's configuration is untrusted.
  const submodules = `--ignore-submodules=${between.length === 2 ? "none" : "all"}`;
  const plain = ["--no-ext-diff", "--no-textconv", "--no-renames", "--no-color", submodules];
  const rest = ["--end-of-options", ...between, "--", ...paths];
  const maxBytes = repository.context.maxDiffBytes;
  const raw = await repository.git([...base, ...plain, "--raw", "--numstat", "--no-abbrev", "-z", ...rest]);
  const patch = await repository.git([...base, ...plain, "--patch", "--full-index", ...rest], { maxBytes });
  const files = parseChangedFiles(raw.stdout);
  return { files, diff: decodeOutput(patch.stdout), truncated: patch.truncated };
}

/**
 * Parses all raw entries, `:mode mode oid oid letter NUL path NUL`, and then all counts, `added TAB removed TAB path
 * NUL`.
 */
function parseChangedFiles(output: Buffer): ChangedFile[] {
  const words = output.toString("utf8").split("\0").filter(Boolean);
  const kinds = new Map<string, ChangedFile["kind"]>();
  const files: ChangedFile[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (word.startsWith(":")) {
      const letter = word.at(-1);
      kinds.set(words[++at]!, letter === "A" ? "create" : letter === "D" ? "delete" : "update");
      continue;
    }
    const [, added, removed, path] = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(word) ?? [];
    if (path === undefined) continue;
    const lines = added === "-" ? {} : { added: Number(added), removed: Number(removed) };
    files.push({ path, kind: kinds.get(path) ?? "update", ...lines });
  }
  return files;
}

/**
 * Converts a diff to changes. The first change describes the ref and contains the whole diff, and up to 2,000 files
 * follow.
 */
export function toDiffChanges(first: Omit<Change, "diff">, { files, diff, truncated }: TreeDiff): Change[] {
  const shownFiles = files.slice(0, maxFiles);
  const left = files.length - shownFiles.length;
  return [
    {
      ...first,
      summary: `${first.summary ?? ""}${first.summary ? ": " : ""}${formatTotals(files)}${truncated ? "; the diff is truncated" : ""}`,
      ...(diff !== "" && { diff }),
      ...((truncated || left > 0) && { incomplete: true as const }),
    },
    ...shownFiles.map(
      (file): Change => ({ kind: file.kind, target: file.path, summary: formatLineCounts(file) }),
    ),
    ...(left > 0
      ? [{ kind: "other" as const, target: "(more files)", summary: `and ${formatCount(left, "more file")}` }]
      : []),
  ];
}

function formatTotals(files: readonly ChangedFile[]): string {
  const sum = (key: "added" | "removed") => files.reduce((total, file) => total + (file[key] ?? 0), 0);
  return `${formatCount(files.length, "file")}, +${sum("added")} −${sum("removed")}`;
}

function formatLineCounts({ kind, added, removed }: ChangedFile): string {
  const verb = { create: "New", update: "Changed", delete: "Deleted" }[kind];
  return added === undefined ? `${verb}, binary` : `${verb}: +${added} −${removed ?? 0}`;
}

const maxFiles = 2_000;
