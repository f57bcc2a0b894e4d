import type { Change } from "@paraph/core";
import { escapeControls } from "../../format-text.ts";
import { shortenId } from "../format.ts";
import type { Commit } from "./commits.ts";
import { readSubject } from "./message.ts";

/** Converts commits to changes of a preview, one line each. */
export function toCommitChanges(commits: readonly Commit[]): Change[] {
  return commits.map(({ commit, author, date, message }) => ({
    kind: "other",
    target: commit,
    summary: `${shortenId(commit)} ${escapeControls(readSubject(message))}`,
    details: { author: author.name, date },
  }));
}
