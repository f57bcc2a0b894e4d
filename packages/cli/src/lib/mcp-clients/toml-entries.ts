import { type Piece, parseTomlTables, type TomlNode, type TomlTable } from "../file-edits/index.ts";
import type { ClientFile } from "./mcp-clients.ts";
import { type EntriesResult, type EntryText, maskPart, type ServerEntry } from "./server-entry.ts";

/** Reads the servers in a TOML file. Each server is one table, which may have nested tables. */
export function readTomlEntries(text: string, key: string, { project }: ClientFile): EntriesResult {
  const tables = parseTomlTables(text);
  if (!tables) return { kind: "unclear", message: "it is not valid TOML, or it defines a table twice" };
  const isInline = tables.some(
    ({ path, statements }) =>
      statements.length > 0 &&
      ((path.length === 0 && statements.some((each) => each.key[0] === key)) ||
        (path.length === 1 && path[0] === key)),
  );
  if (isInline)
    return { kind: "unclear", message: `its servers are not tables of the form \`[${key}.NAME]\`` };
  const heads = tables.filter(({ path }) => path.length === 2 && path[0] === key);
  return { kind: "entries", entries: heads.map((head) => toEntry(text, head, tables, project)) };
}

function toEntry(text: string, head: TomlTable, tables: readonly TomlTable[], project?: string): ServerEntry {
  const [key, name] = head.path as [string, string];
  const below = tables.filter(({ path }) => path.length === 3 && path[0] === key && path[1] === name);
  const texts = [
    ...listTableTexts(head, []),
    ...below.flatMap((table) => listTableTexts(table, [table.path[2]!])),
  ];
  const place = `${key}.${name}`;
  return {
    name,
    place,
    texts,
    ...(project !== undefined && { project }),
    fields: {
      ...readFields(head),
      ...Object.fromEntries(below.map((table) => [table.path[2]!, readFields(table)])),
    },
    replaceFields: (fields, isDropped, isHidden) => {
      const hiddenTexts = texts.filter(isHidden);
      const dropped = below.filter(({ path }) => isDropped(path[2]!));
      const tails = dropped.map((table): Piece => {
        const range = { start: table.start, end: table.end };
        const shown = { before: maskPart(text, range, hiddenTexts), after: "" };
        return { ...range, text: "", place: `${place}.${table.path[2]}`, shown };
      });
      return [buildHeadEdit(text, head, { fields, isDropped, hiddenTexts, place }), ...tails];
    },
  };
}

/**
 * Builds the edit of a server's table. The edit writes the new fields and the kept statements on separate lines below
 * the header.
 */
function buildHeadEdit(
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
  // The edit starts at the end of the header line, so that a comment on that line stays.
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
      before: maskPart(text, range, hiddenTexts).replace(/^\r?\n/, ""),
      after: written((part) => maskPart(text, part, hiddenTexts)).replace(/^\r?\n/, ""),
    },
  };
}

function readFields({ statements }: Pick<TomlTable, "statements">): Record<string, unknown> {
  // A dotted key becomes one name with dots, for example `env.TOKEN`, so that it matches no known field.
  return Object.fromEntries(statements.map(({ key, value }) => [key.join("."), toPlainValue(value)]));
}

function toPlainValue(node: TomlNode): unknown {
  if (node.kind === "string") return node.value;
  if (node.kind === "array") return node.items.map(toPlainValue);
  if (node.kind === "table") return readFields({ statements: node.members });
  return node.value === "true" || node.value === "false" ? node.value === "true" : Number(node.value);
}

function listTableTexts({ statements }: Pick<TomlTable, "statements">, at: readonly string[]): EntryText[] {
  return statements.flatMap(({ key, value }) => listTexts(value, [...at, ...key]));
}

function listTexts(node: TomlNode, at: readonly string[]): EntryText[] {
  if (node.kind === "array") return node.items.flatMap((item, index) => listTexts(item, [...at, `${index}`]));
  if (node.kind === "table") return listTableTexts({ statements: node.members }, at);
  return node.kind === "string" ? [{ at, value: node.value, start: node.start, end: node.end }] : [];
}
