import type { TextRun } from "./code-block.ts";

/**
 * Splits a unified diff into runs. Each hunk states its length, so a removed line that begins with `--` is not taken
 * for a file header.
 */
export function parseDiff(diff: string): readonly TextRun[] {
  const runs: { kind: TextRun["kind"]; lines: string[] }[] = [];
  let old = 0;
  let now = 0;
  for (const line of diff.split(/(?<=\n)/)) {
    const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line);
    const inside = old > 0 || now > 0;
    const kind = hunk ? "hunk" : inside ? toHunkLineKind(line) : toOutsideLineKind(line);
    if (hunk) [old, now] = [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)];
    else if (inside) {
      if (kind !== "add" && !line.startsWith("\\")) old--;
      if (kind !== "del" && !line.startsWith("\\")) now--;
    }
    const last = runs.at(-1);
    if (last?.kind === kind) last.lines.push(line);
    else runs.push({ kind, lines: [line] });
  }
  return runs.map(({ kind, lines }) => ({ kind, text: lines.join("") }));
}

function toHunkLineKind(line: string): TextRun["kind"] {
  if (line.startsWith("+")) return "add";
  return line.startsWith("-") ? "del" : "plain";
}

/** Classifies a line before the first hunk, or in a text that only resembles a diff. */
function toOutsideLineKind(line: string): TextRun["kind"] {
  if (/^(\+\+\+|---|diff |index |Index: |={3,})/.test(line)) return "head";
  return toHunkLineKind(line);
}
