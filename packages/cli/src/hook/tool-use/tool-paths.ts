import { relative, resolve } from "node:path";
import type { HookClient } from "../hook-event.ts";
import { resolvePath, resolveRealPath } from "./resolve-path.ts";
import { isPathGlob } from "./tool-kinds.ts";

export type ToolUseInput = Record<string, unknown>;

/**
 * Returns the file that the tool reads, or the folder that it searches. Returns undefined if the input could mean
 * several paths.
 */
export function resolveReadPath(tool: string, given: ToolUseInput, cwd: string): string | undefined {
  const names = ["file_path", "absolute_path", "path", "dir_path", "notebook_path", "directory"];
  const [named = ".", ...more] = names.map((name) => given[name]).filter((value) => value !== undefined);
  if (typeof named !== "string" || named === "" || more.length > 0) return undefined;
  const { include, include_pattern, file_pattern, paths, glob } = given;
  const patterns = [
    include,
    include_pattern,
    file_pattern,
    paths,
    glob,
    isPathGlob(tool) ? given.pattern : [],
  ];
  if (!patterns.flat().every((each) => each === undefined || isBelowFolder(each))) return undefined;
  return resolvePath(cwd, named);
}

/**
 * Whether a pattern matches only files below its folder. Clients expand `{a,b}` and `[.]` before they match paths. Each
 * alternative in braces must therefore start like a name, and brackets must not contain `.` or `/`.
 */
function isBelowFolder(pattern: unknown): boolean {
  if (typeof pattern !== "string" || /^\s|^[/~]|^[a-z]:|\.\.|[()\\]|\[[^\][]*[./]/i.test(pattern))
    return false;
  return pattern
    .split(/\{([^{}]*)\}/)
    .every((part, index) =>
      index % 2 === 0 ? !/[{}]/.test(part) : part.split(",").every((each) => /^[\w*-](.*[^.])?$/.test(each)),
    );
}

const patchHeader = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/;

/**
 * Lists the files of a patch. Returns undefined if one of them is behind a link, because the patch then does not name
 * the file that it changes.
 */
export function resolvePatchedPaths(patch: string, cwd: string): string[] | undefined {
  const places: string[] = [];
  // [TRUST 24] Clients let a tool run if its hook takes too long, so each line is read in linear time.
  for (const line of patch.split(/[\n\r\u2028\u2029]/)) {
    const [, path] = patchHeader.exec(line.trim()) ?? [];
    if (path === undefined) continue;
    const place = resolvePath(cwd, path);
    const below = relative(cwd, resolve(cwd, path));
    if (place === undefined || place !== resolve(resolveRealPath(cwd), below)) return undefined;
    places.push(place);
  }
  return places;
}

interface FetchAddress {
  readonly url: string;
  readonly host: string;
  readonly options: ToolUseInput;
}

/**
 * Returns the URL that the tool fetches. Gemini puts the URL in the prompt, and its service reads the whole prompt, so
 * the prompt must not name another host. Claude Code's prompt only describes the information to find in the page, so
 * the function ignores it.
 */
export function readFetchAddress(client: HookClient, given: ToolUseInput): FetchAddress | undefined {
  const { url, prompt, ...rest } = given;
  if (client !== "gemini") return typeof url === "string" ? parseAddress(url, rest) : undefined;
  if (prompt === undefined && typeof url === "string") return parseAddress(url, rest);
  if (url !== undefined || typeof prompt !== "string") return undefined;
  const [address, ...more] = prompt.match(/\bhttps?:\/\/[^\s<>"'`]+/gi) ?? [];
  if (address === undefined || more.length > 0) return undefined;
  const others = prompt.replace(address, " ");
  if (/:\/|\/\/|[\w-]\.[a-z]{2,}|\d\.\d+\.\d|\[[\da-f:]+\]|localhost/i.test(others)) return undefined;
  return parseAddress(address, { ...rest, prompt });
}

function parseAddress(address: string, options: ToolUseInput): FetchAddress | undefined {
  if (!URL.canParse(address)) return undefined;
  const { href, hostname, protocol } = new URL(address);
  return /^https?:$/.test(protocol) ? { url: href, host: hostname, options } : undefined;
}
