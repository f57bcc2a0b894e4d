import { type Piece, type TomlNode, type TomlTable, tomlTables } from "../file-edits/index.ts";
import type { ClientFile } from "./clients.ts";
import { type Entries, type Entry, type EntryText, shownPart } from "./entry.ts";

/** The servers in a TOML file: a table each, and tables within it. */
export function tomlEntries(text: string, key: string, { project }: ClientFile): Entries {
  const tables = tomlTables(text);
  if (!tables) return { kind: "unclear", message: "it is not TOML as it should be, or has one table twice" };
  const isInline = tables.some(
    ({ path, statements }) =>
      statements.length > 0 &&
      ((path.length === 0 && statements.some((each) => each.key[0] === key)) ||
        (path.length === 1 && path[0] === key)),
  );
  if (isInline)
    return { kind: "unclear", message: `its servers are not written as tables: \`[${key}.NAME]\`` };
  const heads = tables.filter(({ path }) => path.length === 2 && path[0] === key);
  return { kind: "entries", entries: heads.map((head) => entryOf(text, head, tables, project)) };
}

function entryOf(text: string, head: TomlTable, tables: readonly TomlTable[], project?: string): Entry {
  const [key, name] = head.path as [string, string];
  const below = tables.filter(({ path }) => path.length === 3 && path[0] === key && path[1] === name);
  const texts = [...textsOf(head, []), ...below.flatMap((table) => textsOf(table, [table.path[2]!]))];
  const place = `${key}.${name}`;
  return {
    name,
    place,
    texts,
    ...(project !== undefined && { project }),
    fields: {
      ...fieldsOf(head),
      ...Object.fromEntries(below.map((table) => [table.path[2]!, fieldsOf(table)])),
    },
    replaced: (fields, isDropped, isHidden) => {
      const hiddenTexts = texts.filter(isHidden);
      const dropped = below.filter(({ path }) => isDropped(path[2]!));
      const tails = dropped.map((table): Piece => {
        const range = { start: table.start, end: table.end };
        const shown = { before: shownPart(text, range, hiddenTexts), after: "" };
        return { ...range, text: "", place: `${place}.${table.path[2]}`, shown };
      });
      return [headPiece(text, head, { fields, isDropped, hiddenTexts, place }), ...tails];
    },
  };
}

/** The header, what is new, and what stays, each on a line of its own. */
function headPiece(
  text: string,
  head: TomlTable,
  about: {
    fields: Readonly<Record<string, unknown>>;
    isDropped: (field: string) => boolean;
    hiddenTexts: readonly EntryText[];
    place: string;
  },
): Piece {
  const { fields, isDropped, hiddenTexts, place } = about;
  const newLine = text.includes("\r\n") ? "\r\n" : "\n";
  // A comment behind the header stays.
  const lineEnd = head.headEnd + /^[^\r\n]*/.exec(text.slice(head.headEnd))![0].length;
  const range = { start: lineEnd, end: Math.max(lineEnd, head.end) };
  const kept = head.statements.filter(({ key }) => !isDropped(key[0]!));
  const written = (part: (range: { start: number; end: number }) => string) =>
    [
      "",
      ...Object.entries(fields).map(([field, value]) => `${field} = ${JSON.stringify(value)}`),
      ...kept.map(part),
    ].join(newLine);
  return {
    ...range,
    place,
    text: written(({ start, end }) => text.slice(start, end)),
    shown: {
      before: shownPart(text, range, hiddenTexts).replace(/^\r?\n/, ""),
      after: written((part) => shownPart(text, part, hiddenTexts)).replace(/^\r?\n/, ""),
    },
  };
}

function fieldsOf({ statements }: Pick<TomlTable, "statements">): Record<string, unknown> {
  // A dotted key is a table that is written otherwise: it is told apart from every field that is known.
  return Object.fromEntries(statements.map(({ key, value }) => [key.join("."), plain(value)]));
}

function plain(node: TomlNode): unknown {
  if (node.kind === "string") return node.value;
  if (node.kind === "array") return node.items.map(plain);
  if (node.kind === "table") return fieldsOf({ statements: node.members });
  return node.value === "true" || node.value === "false" ? node.value === "true" : Number(node.value);
}

function textsOf({ statements }: Pick<TomlTable, "statements">, at: readonly string[]): EntryText[] {
  return statements.flatMap(({ key, value }) => textsIn(value, [...at, ...key]));
}

function textsIn(node: TomlNode, at: readonly string[]): EntryText[] {
  if (node.kind === "array") return node.items.flatMap((item, index) => textsIn(item, [...at, `${index}`]));
  if (node.kind === "table") return textsOf({ statements: node.members }, at);
  return node.kind === "string" ? [{ at, value: node.value, start: node.start, end: node.end }] : [];
}
