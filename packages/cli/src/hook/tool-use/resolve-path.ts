import { readlinkSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Lists every absolute path that this text could mean to a client. Some clients expand `~`, trim spaces or accept file
 * URLs. The paths keep `..`, because `..` after a link leads to the parent of the link's target.
 */
export function listPathReadings(cwd: string, text: string): string[] {
  const trimmed = text.trim();
  const plain = [text, trimmed, trimmed.replace(/^~(?=\/|$)/, homedir()), ...parseFileUrl(trimmed)];
  return [...new Set(plain.map((path) => (isAbsolute(path) ? path : `${cwd}${sep}${path}`)))];
}

function parseFileUrl(text: string): string[] {
  if (!/^file:/i.test(text)) return [];
  const bare = text.replace(/^file:(\/\/(localhost)?)?/i, "");
  try {
    return [bare, fileURLToPath(new URL(`file://${bare}`))];
  } catch {
    return [bare];
  }
}

/** Returns the real path, or undefined if clients could resolve the text to different paths. */
export function resolvePath(cwd: string, text: string): string | undefined {
  const places = new Set(
    listPathReadings(cwd, text).flatMap((path) => [resolveRealPath(resolve(path)), resolveRealPath(path)]),
  );
  return places.size === 1 ? [...places][0] : undefined;
}

/** The maximum number of links to follow, the same as in Linux. */
const maxLinks = 40;

/**
 * Returns the real path. For a missing file, returns the path at which a write would create the file, even through
 * dangling links.
 */
export function resolveRealPath(path: string, linksLeft = maxLinks): string {
  try {
    return realpathSync.native(path);
  } catch {
    const parent = dirname(path);
    if (parent === path) return path;
    const folder = resolveRealPath(parent, linksLeft);
    const here = `${folder}${sep}${basename(path)}`;
    const target = linksLeft > 0 ? readLinkTarget(here) : undefined;
    if (target === undefined) return resolve(here);
    return resolveRealPath(isAbsolute(target) ? target : `${folder}${sep}${target}`, linksLeft - 1);
  }
}

function readLinkTarget(link: string): string | undefined {
  try {
    return readlinkSync(link);
  } catch {
    return undefined;
  }
}
