import { CapabilityError } from "@paraph/core";
import { z } from "zod";
import { formatName } from "../format-text.ts";
import { normalizeOrKeep } from "../normalize-text.ts";
import { foldFileName, isParaphFolder } from "../paraph-folder.ts";

export const treePathInput = z
  .string()
  .min(1)
  .max(4096)
  .overwrite(normalizeOrKeep(requireTreePath))
  .describe("path relative to the repository's folder, with `/` between names; `.` means everything");

/**
 * Returns the canonical form of a path below the repository's folder, and rejects any text that could lead elsewhere.
 */
export function requireTreePath(path: string): string {
  const refuse = (message: string) => new CapabilityError("permanent", "path-invalid", message);
  if (path.includes("\0") || !path.isWellFormed())
    throw refuse("A path contains a NUL or an incomplete Unicode character. Send a path without it.");
  if (path.startsWith("/") || /^[A-Za-z]:/.test(path) || path.includes("\\"))
    throw refuse(
      `${formatName(path)} is not valid. Use a path relative to the repository's folder, with \`/\` between names.`,
    );
  const names = path.split("/").filter((name) => name !== "" && name !== ".");
  if (names.includes("..")) throw refuse(`${formatName(path)} contains \`..\`. Use a path without it.`);
  if (names.some(isGitFolder))
    throw refuse(`${formatName(path)} is inside git's own folder. Calls cannot access it.`);
  if (names.some(isParaphFolder))
    throw refuse("`.paraph` is Paraph's own folder and contains its keys. Calls cannot access it.");
  return names.join("/") || ".";
}

function isGitFolder(name: string): boolean {
  const folded = foldFileName(name);
  return folded === ".git" || folded === "git~1" || folded.startsWith(".git:");
}
