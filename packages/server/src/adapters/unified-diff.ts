import { createTwoFilesPatch, FILE_HEADERS_ONLY, formatPatch, structuredPatch } from "diff";

/** A unified diff of a file's text; either side is undefined where there is no file. */
export function formatUnifiedDiff(
  path: string,
  before: string | undefined,
  after: string | undefined,
): string {
  const from = before === undefined ? "/dev/null" : `a/${path}`;
  const to = after === undefined ? "/dev/null" : `b/${path}`;
  const options = { context: 3, maxEditLength: maxEdits, headerOptions: FILE_HEADERS_ONLY };
  return (
    createTwoFilesPatch(from, to, before ?? "", after ?? "", undefined, undefined, options) ??
    formatWholeReplacement(from, to, before ?? "", after ?? "")
  );
}

/**
 * The search for the shortest diff takes the square of its length, on the server's only thread. The bound counts edits,
 * not time: the diff is part of what an approval binds and must come out the same on a busy day.
 */
const maxEdits = 1000;

/** Every line out, every line in: longer than need be, and as true. */
function formatWholeReplacement(from: string, to: string, before: string, after: string): string {
  const out = structuredPatch(from, to, before, "");
  const into = structuredPatch(from, to, "", after);
  const lines = [...out.hunks, ...into.hunks].flatMap((hunk) => hunk.lines);
  const [oldLines, newLines] = [out.hunks[0]?.oldLines ?? 0, into.hunks[0]?.newLines ?? 0];
  return formatPatch(
    { ...out, hunks: [{ oldStart: 1, oldLines, newStart: 1, newLines, lines }] },
    FILE_HEADERS_ONLY,
  );
}
