import { resolve, sep } from "node:path";
import { findStateHome } from "@paraph/server/local-record";
import { dataFolderName } from "../../lib/config/paraph-folder.ts";
import type { ToolUse } from "../hook-event.ts";
import { listPathReadings, resolveRealPath } from "./resolve-path.ts";
import { findToolKind, isContentSearch } from "./tool-kinds.ts";

/**
 * The state folders that hold the keys of this user's Paraph: the one that the hook uses, and the one that the current
 * environment selects.
 */
export type ProtectedFolders = readonly string[];

export function listProtectedFolders(...environments: readonly NodeJS.ProcessEnv[]): ProtectedFolders {
  return [...new Set(environments.flatMap((environment) => listPathForms(findStateHome(environment))))];
}

/** The limit for the length of a path. No system opens a longer path. */
const maxPathLength = 4_096;

/** Fields that name the folder of a search. */
const folderNames = ["path", "dir_path", "directory", "file_path", "absolute_path"];

/** Fields that hold a path. In some tools, the field holds a list of paths, or a pattern that starts with a path. */
const pathNames = [
  ...["file_path", "notebook_path", "absolute_path", "path", "paths", "dir_path", "directory"],
  ...["include", "glob", "pattern", "file_pattern", "include_pattern", "exclude", "uri"],
];

/**
 * Whether a tool use names a file in which Paraph keeps keys. Such a file is in any `.paraph` folder or in the state
 * folder. Links and relative paths to such a file count too. A content search of a folder above the state folder also
 * counts. Paths through `/proc` count, because they lead to the files of any process. Programs that a shell command
 * starts can still open files that the command does not name. Only policy or an approver can stop such a program, by
 * not allowing the command.
 */
export function isProtectedAccess({ client, cwd, tool, input }: ToolUse, own: ProtectedFolders): boolean {
  const leadsToOwn = (path: string) =>
    path.length < maxPathLength && listPathReadings(cwd, path).some((reading) => isProtected(reading, own));
  const isOwnPath = (path: string) => leadsToOwn(path) || hasProtectedName(path, own);
  if (isProtected(cwd, own)) return true;
  const paths = pathNames.flatMap((name) => listTexts(input[name]));
  if (paths.some(isOwnPath)) return true;
  if (
    isContentSearch(client, tool) &&
    isAboveProtected(
      cwd,
      folderNames.flatMap((name) => listTexts(input[name])),
      own,
    )
  )
    return true;
  // The hook does not know which fields of an unknown tool are paths, so it checks all texts.
  const kind = findToolKind(client, tool);
  if ((kind === undefined || kind === "resource") && listTexts(input, true).some(isOwnPath)) return true;
  // The hook does not know which words of a command or patch are paths, so it checks all words.
  return [input.command, input.patch]
    .flatMap((text) => listTexts(text))
    .some((text) => hasProtectedName(text, own) || splitWords(text).some(leadsToOwn));
}

/**
 * Whether a search below one of the folders opens files of the state folder. If `folders` is empty, the search is below
 * `cwd`.
 */
function isAboveProtected(cwd: string, folders: readonly string[], own: ProtectedFolders): boolean {
  const roots = (folders.length > 0 ? folders : ["."]).flatMap((folder) => listPathReadings(cwd, folder));
  return roots.flatMap(listPathForms).some((root) => own.some((folder) => isWithin(folder, root)));
}

function listTexts(value: unknown, isDeep = false): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => listTexts(item, isDeep));
  if (isDeep && typeof value === "object" && value !== null) return listTexts(Object.entries(value), isDeep);
  return typeof value === "string" ? [value] : [];
}

function isProtected(path: string, own: ProtectedFolders): boolean {
  return listPathForms(path).some(
    (each) =>
      each.toLowerCase().split(sep).includes(dataFolderName) ||
      own.some((folder) => isWithin(each, folder)) ||
      /^\/(proc\/(self|thread-self|\d+)|dev\/fd)(\/|$)/.test(each),
  );
}

/**
 * Whether the text names a protected folder after quotes and escapes are removed. The comparison ignores case, because
 * some file systems ignore it.
 */
function hasProtectedName(text: string, own: ProtectedFolders): boolean {
  const plain = text.replaceAll(/['"\\]/g, "").toLowerCase();
  return (
    /(^|[^\w.-])\.paraph($|[^\w.-])/.test(plain) ||
    own.some((folder) => plain.includes(folder.toLowerCase())) ||
    /\/proc\/(self|thread-self|\d+)\/(cwd|root|fd|environ|mem|task|map_files)/.test(plain)
  );
}

/**
 * Splits a text into words. Every word could be a path, because even a plain name may be a link in the working folder
 * that leads elsewhere.
 */
function splitWords(text: string): string[] {
  return text
    .replaceAll(/['"\\]/g, "")
    .split(/[\s;|&<>()=`,]+/)
    .filter((word) => word !== "")
    .slice(0, 1_000);
}

function isWithin(path: string, folder: string): boolean {
  const [a, b] = [path.toLowerCase(), folder.toLowerCase()];
  return a === b || a.startsWith(b.endsWith(sep) ? b : `${b}${sep}`);
}

/**
 * Lists the normalized path, the real path of the normalized path, and the real path of the original path. Some clients
 * normalize a path before they open it.
 */
function listPathForms(path: string): string[] {
  const shortened = resolve(path);
  return [shortened, resolveRealPath(shortened), resolveRealPath(path)];
}
