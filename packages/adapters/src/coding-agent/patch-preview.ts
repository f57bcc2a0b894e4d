import type { Change, Preview } from "@paraph/core";

const fileHeader = /^\*\*\* (Add|Update|Delete) File: (.+)$/;
const patchOpenings = ["", "*** Begin Patch"];

/** Previews a patch in the format of Codex. Each file's part is shown unchanged. */
export function previewPatch(patch: string): Preview {
  const changes: Change[] = [];
  const before: string[] = [];
  let part: { kind: Change["kind"]; target: string; lines: string[] } | undefined;
  const end = () => {
    if (part) changes.push({ kind: part.kind, target: part.target, diff: part.lines.join("\n") });
  };
  for (const line of patch.split("\n")) {
    // Codex ignores space around marker lines. [TRUST 24] A pattern for that space would take quadratic time.
    const [, verb, target] = fileHeader.exec(line.trim()) ?? [];
    if (verb !== undefined && target !== undefined) {
      end();
      part = { kind: changeKinds[verb as keyof typeof changeKinds], target, lines: [line] };
    } else (part?.lines ?? before).push(line);
  }
  end();
  // [TRUST 6] The preview also shows the text before the first file, because another tool may recognize changes there
  // that this parser does not.
  if (changes.length > 0 && !before.every((line) => patchOpenings.includes(line.trim())))
    changes.unshift({
      kind: "other",
      target: "patch",
      summary: "Text before the first file",
      diff: before.join("\n"),
    });
  if (changes.length > 0) return { changes, basis: null };
  // An unparsed patch is shown in full, so that people see what they approve.
  const summary = "Paraph does not recognize the format of this patch";
  return { changes: [{ kind: "other", target: "patch", summary, diff: patch }], basis: null };
}

const changeKinds = { Add: "create", Update: "update", Delete: "delete" } as const;
