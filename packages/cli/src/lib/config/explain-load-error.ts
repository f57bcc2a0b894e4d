import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { findNearest } from "@paraph/core";

interface Place {
  readonly file: string;
  readonly line: number;
  readonly column?: number;
}

/**
 * Explains why a user's module does not load: its place with the source line, the reason, and a remedy where one is
 * known. `files` are the paths of the module and of the files that it imports. `exported` are the names that `paraph`
 * exports.
 */
export function explainLoadError(
  error: unknown,
  files: ReadonlySet<string>,
  exported: readonly string[],
): string {
  const { message, stack = "" } = error instanceof Error ? error : { message: String(error) };
  const reason = removeMarks(message)
    .replace(/ imported from .+$/, "")
    .replace(/\.$/, "");
  const place = findFrame(stack) ?? findCaller(stack, files) ?? findImport(message, files);
  if (!place) return `\`${[...files][0]}\` does not load: ${removeMarks(message)}`;
  const text = readFileSync(place.file, "utf8");
  const remedy = suggestRemedy(message, text, exported);
  const { file, line, column } = place;
  const where = [basename(file), line, column].filter((part) => part !== undefined).join(":");
  const source = text.split("\n")[line - 1]?.trimEnd() ?? "";
  return `${where}: ${reason}.${remedy}\n    ${source.trimStart()}`;
}

/** A later load of a module has a mark in its URL. */
function removeMarks(text: string): string {
  return text.replaceAll(/\?load=\d+/g, "");
}

/** Reads the excerpt that Node puts before the stack of a syntax error: the place, and carets below the source. */
function findFrame(stack: string): Place | undefined {
  const [, url, line] = /^(file:\S+?):(\d+)\n/.exec(removeMarks(stack)) ?? [];
  if (url === undefined) return undefined;
  const carets = stack.split("\n").find((each) => /^\s*\^+\s*$/.test(each));
  return {
    file: fileURLToPath(url),
    line: Number(line),
    ...(carets !== undefined && { column: carets.indexOf("^") + 1 }),
  };
}

/** Finds the last place in the user's own files that ran before the error. */
function findCaller(stack: string, files: ReadonlySet<string>): Place | undefined {
  for (const [, url, line, column] of removeMarks(stack).matchAll(/(file:[^\s()]+?):(\d+):(\d+)/g)) {
    const file = fileURLToPath(url!);
    if (files.has(file)) return { file, line: Number(line), column: Number(column) };
  }
  return undefined;
}

/** Finds the import of a module that does not exist. */
function findImport(message: string, files: ReadonlySet<string>): Place | undefined {
  const [, name = "", file = ""] = /^Cannot find \w+ '(.+)' imported from (.+)$/.exec(message) ?? [];
  if (!files.has(file)) return undefined;
  const lines = readFileSync(file, "utf8").split("\n");
  const wanted = basename(name);
  const index = lines.findIndex((line) => /\b(import|from|export)\b/.test(line) && line.includes(wanted));
  return index < 0 ? undefined : { file, line: index + 1, column: lines[index]!.indexOf(wanted) + 1 };
}

function suggestRemedy(message: string, text: string, exported: readonly string[]): string {
  const [, missing] = /^Cannot find package '(.+?)'/.exec(message) ?? [];
  if (missing !== undefined) return ` Run \`npm install ${missing}\`.`;
  const [, unknown] = /module 'paraph' does not provide an export named '(.+)'/.exec(message) ?? [];
  const [, variable] = /^(\S+) is not defined$/.exec(message) ?? [];
  const name = unknown ?? variable;
  if (name === undefined) return "";
  const known = unknown === undefined ? listOtherWords(text, name) : exported;
  const meant = findNearest(name, known);
  return meant === undefined ? "" : ` Did you mean \`${meant}\`?`;
}

function listOtherWords(text: string, name: string): string[] {
  return [...new Set(text.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu))].filter((word) => word !== name);
}
