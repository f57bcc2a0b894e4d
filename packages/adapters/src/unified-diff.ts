import { createTwoFilesPatch, FILE_HEADERS_ONLY, formatPatch, structuredPatch } from "diff";

/** Formats a unified diff of a file's text, where an undefined side means that the file does not exist. */
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
 * The maximum number of edits. The search for the shortest diff takes quadratic time and blocks the server's only
 * thread. The limit counts edits instead of time, because the approved diff must not depend on the load.
 */
const maxEdits = 1000;

/** Formats a diff that removes every old line and adds every new one, which is longer than necessary but correct. */
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
