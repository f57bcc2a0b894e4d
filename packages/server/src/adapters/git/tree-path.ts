import { CapabilityError } from "@paraph/core";
import { z } from "zod";
import { normalizeOrKeep } from "../normalize-text.ts";
import { foldFileName, isParaphFolder } from "../paraph-folder.ts";
import { formatName } from "./format.ts";

export const treePathInput = z
  .string()
  .min(1)
  .max(4096)
  .overwrite(normalizeOrKeep(requireTreePath))
  .describe("relative to the repository's folder, with `/` between names; `.` is everything");

/**
 * Returns the canonical form of a path below the repository's folder, and rejects any text that could lead elsewhere.
 */
export function requireTreePath(path: string): string {
  const refuse = (message: string) => new CapabilityError("permanent", "path-invalid", message);
  if (path.includes("\0") || !path.isWellFormed())
    throw refuse("A path has a NUL or half a character in it: send it without.");
  if (path.startsWith("/") || /^[A-Za-z]:/.test(path) || path.includes("\\"))
    throw refuse(
      `${formatName(path)}: send a path relative to the repository's folder, with \`/\` between names.`,
    );
  const names = path.split("/").filter((name) => name !== "" && name !== ".");
  if (names.includes("..")) throw refuse(`${formatName(path)} has \`..\` in it: name the file without.`);
  if (names.some(isGitFolder))
    throw refuse(`${formatName(path)} leads into git's own folder: no call reaches into it.`);
  if (names.some(isParaphFolder))
    throw refuse("`.paraph` is Paraph's own folder, with its keys: no call reaches into it.");
  return names.join("/") || ".";
}

function isGitFolder(name: string): boolean {
  const folded = foldFileName(name);
  return folded === ".git" || folded === "git~1" || folded.startsWith(".git:");
}
