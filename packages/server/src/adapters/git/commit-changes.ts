import type { Change } from "@paraph/core";
import type { Commit } from "./commits.ts";
import { subjectOf } from "./message.ts";
import { plain, short } from "./words.ts";

/** Commits as a preview lists them, one line each. */
export function commitChanges(commits: readonly Commit[]): Change[] {
  return commits.map(({ commit, author, date, message }) => ({
    kind: "other",
    target: commit,
    summary: `${short(commit)} ${plain(subjectOf(message))}`,
    details: { author: author.name, date },
  }));
}
