import type { Change, Preview } from "@paraph/core";
import { formatUnifiedDiff } from "../unified-diff.ts";
import { type AgentFile, readTextBefore, toFileBasis } from "./agent-file.ts";

export interface Replacement {
  readonly old: string;
  readonly new: string;
  readonly all: boolean;
}

/** [P3] Previews an edit from the input alone, because the file is on the agent's machine. */
export function previewEdit(path: string, edits: readonly Replacement[], file: AgentFile): Preview {
  return { changes: [toEditChange(path, edits, file)], basis: toFileBasis(file) };
}

function toEditChange(path: string, edits: readonly Replacement[], file: AgentFile): Change {
  const before = readTextBefore(file);
  const whole = before === undefined ? undefined : applyEdits(before, edits);
  if (whole !== undefined)
    return {
      kind: "update",
      target: path,
      summary: formatEditCount(edits),
      diff: formatUnifiedDiff(path, before, whole),
    };
  // If the text of the file is unavailable or the edits do not fit it, the preview shows only the requested
  // replacements.
  const pieces = edits.map((edit) => formatUnifiedDiff(path, edit.old, edit.new)).join("");
  return {
    kind: "update",
    target: path,
    summary: `${formatEditCount(edits)}; ${explainPartialDiff(file)}`,
    diff: pieces,
  };
}

function formatEditCount(edits: readonly Replacement[]): string {
  return edits.length === 1 ? "One text replaced" : `${edits.length} texts replaced, in this order`;
}

function explainPartialDiff(file: AgentFile): string {
  if (file.kind === "absent") return "the file does not exist";
  if (file.kind === "unshown") return `the file is not shown, because ${file.why}`;
  return "the old text does not match the file, so the tool will likely fail";
}

/**
 * Applies the edits as the agents' edit tools do. Each old text must occur exactly once, or at least once if `all` is
 * set. Returns undefined if an edit does not meet this condition.
 */
function applyEdits(before: string, edits: readonly Replacement[]): string | undefined {
  let text = before;
  for (const edit of edits) {
    const pieces = edit.old === "" ? [] : text.split(edit.old);
    if (pieces.length < 2 || (pieces.length > 2 && !edit.all)) return undefined;
    text = pieces.join(edit.new);
  }
  return text;
}

export function previewFileWrite(path: string, content: string, file: AgentFile): Preview {
  const basis = toFileBasis(file);
  const before = readTextBefore(file);
  if (file.kind === "unshown") {
    const summary = `Replaces the whole file; the old content is not shown, because ${file.why}`;
    const diff = formatUnifiedDiff(path, undefined, content);
    return { changes: [{ kind: "update", target: path, summary, diff }], basis };
  }
  const [kind, summary] =
    file.kind === "absent"
      ? (["create", "New file"] as const)
      : (["update", before === content ? "Unchanged" : "Changed"] as const);
  return {
    changes: [{ kind, target: path, summary, diff: formatUnifiedDiff(path, before, content) }],
    basis,
  };
}
