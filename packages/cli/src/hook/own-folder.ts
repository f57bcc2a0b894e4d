import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, resolve, sep } from "node:path";
import { stateHome } from "@paraph/server/local-record";
import { folderName } from "../paraph-folder.ts";
import type { ToolUse } from "./event.ts";

/** Where keys lie: the state of this user's Paraph, as it was recorded and as this environment has it. */
export type OwnFolders = readonly string[];

export function ownFolders(...environments: readonly NodeJS.ProcessEnv[]): OwnFolders {
  return [...new Set(environments.flatMap((environment) => lexicalAndReal(stateHome(environment))))];
}

/** Tools that know a path by one of these names; some take a list, some a pattern that begins with a path. */
const pathNames = [
  ...["file_path", "notebook_path", "absolute_path", "path", "paths", "dir_path", "directory"],
  ...["include", "glob", "pattern", "file_pattern", "include_pattern", "exclude", "uri"],
];

/**
 * Whether a use of a tool names a file in which Paraph keeps keys: any `.paraph`, or the state folder, also through links and
 * relative paths. A process's view of the file system counts as well, since it leads wherever that process stands. Programs
 * that a shell command starts can still open what the command does not name: only the approval of the command stops them.
 */
export function touchesOwnFolder({ cwd, input }: ToolUse, own: OwnFolders): boolean {
  const isOwnPath = (path: string) => isOwn(absolute(cwd, path), own) || namesOwn(path, own);
  if (isOwn(cwd, own)) return true;
  if (pathNames.flatMap((name) => textsIn(input[name])).some(isOwnPath)) return true;
  // Of a text it is not known which of its words are paths.
  return [input.command, input.patch].flatMap(textsIn).some((text) => {
    return namesOwn(text, own) || wordsIn(text).some((word) => isOwn(absolute(cwd, word), own));
  });
}

/** Not made shorter: behind a link, `..` leads elsewhere than it seems to. */
function absolute(cwd: string, path: string): string {
  const plain = path.replace(/^file:\/\//i, "").replace(/^~(?=\/|$)/, homedir());
  return isAbsolute(plain) ? plain : `${cwd}${sep}${plain}`;
}

function textsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return typeof value === "string" ? [value] : [];
}

function isOwn(path: string, own: OwnFolders): boolean {
  return lexicalAndReal(path).some(
    (each) =>
      each.toLowerCase().split(sep).includes(folderName) ||
      own.some((folder) => isWithin(each, folder)) ||
      /^\/(proc\/(self|thread-self|\d+)|dev\/fd)(\/|$)/.test(each),
  );
}

/** As the text has it once quotes and escapes are gone, whatever the case: some file systems know none. */
function namesOwn(text: string, own: OwnFolders): boolean {
  const plain = text.replaceAll(/['"\\]/g, "").toLowerCase();
  return (
    /(^|[^\w.-])\.paraph($|[^\w.-])/.test(plain) ||
    own.some((folder) => plain.includes(folder.toLowerCase())) ||
    /\.local\/state\/paraph($|[^\w.-])/.test(plain) ||
    /\/proc\/(self|thread-self|\d+)\/(cwd|root|fd|environ|mem|task|map_files)/.test(plain)
  );
}

/** Words that can be paths: links below the working folder lead elsewhere. */
function wordsIn(text: string): string[] {
  return text
    .replaceAll(/['"\\]/g, "")
    .split(/[\s;|&<>()=`,]+/)
    .filter((word) => word !== "" && word.length < 4_096)
    .slice(0, 1_000);
}

function isWithin(path: string, folder: string): boolean {
  const [a, b] = [path.toLowerCase(), folder.toLowerCase()];
  return a === b || a.startsWith(`${b}${sep}`);
}

/** The path as it seems to be, and where it leads, whether or not a client shortens it first. */
function lexicalAndReal(path: string): string[] {
  const shortened = resolve(path);
  return [shortened, realOf(shortened), realOf(path)];
}

/** Where a path leads; of what does not exist, where the part leads that does. */
export function realOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : resolve(`${realOf(parent)}${sep}${basename(path)}`);
  }
}
