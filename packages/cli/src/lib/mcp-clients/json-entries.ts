import { findMember, type JsonNode, type Piece, parseJsonTree, toPlainJson } from "../file-edits/index.ts";
import type { ClientFile } from "./mcp-clients.ts";
import { type EntriesResult, type EntryText, maskPart, type ServerEntry } from "./server-entry.ts";

/** Reads the servers in a JSON file, with or without comments. */
export function readJsonEntries(
  text: string,
  key: string,
  { project, hasProjects }: ClientFile,
): EntriesResult {
  const tree = parseJsonTree(text);
  if (tree?.kind !== "object")
    return { kind: "unclear", message: "it is not valid JSON, or an object has a duplicate key" };
  const own = listEntries(text, findMember(tree, key), key, project);
  const projects = hasProjects ? findMember(tree, "projects") : undefined;
  const ofProjects =
    projects?.kind !== "object"
      ? []
      : projects.members.flatMap(({ key: folder, value }) =>
          listEntries(text, findMember(value, key), `projects.${folder}.${key}`, folder),
        );
  return { kind: "entries", entries: [...own, ...ofProjects] };
}

function listEntries(
  text: string,
  servers: JsonNode | undefined,
  at: string,
  project?: string,
): ServerEntry[] {
  if (servers?.kind !== "object") return [];
  return servers.members.map(({ key: name, start, value }) => {
    const plain = toPlainJson(value);
    const texts = listTexts(value);
    const place = `${at}.${name}`;
    return {
      name,
      place,
      texts,
      ...(project !== undefined && { project }),
      fields: value.kind === "object" ? (plain as Record<string, unknown>) : {},
      replaceFields: (fields, isDropped, isHidden) => {
        const hiddenTexts = texts.filter(isHidden);
        const layout = detectLayout(text, start, value);
        const kept = value.kind === "object" ? value.members.filter(({ key }) => !isDropped(key)) : [];
        const written = (shown: boolean) => {
          const added = Object.entries(fields).map(([field, to]) => formatMember(field, to, layout));
          const rest = kept.map((each) => {
            const range = { start: each.start, end: each.value.end };
            return shown ? maskPart(text, range, hiddenTexts) : text.slice(range.start, range.end);
          });
          return layout.around([...added, ...rest]);
        };
        const before = maskPart(text, value, hiddenTexts);
        const piece: Piece = {
          start: value.start,
          end: value.end,
          text: written(false),
          place,
          shown: { before, after: written(true) },
        };
        return [piece];
      },
    };
  });
}

function listTexts(node: JsonNode, at: readonly string[] = []): EntryText[] {
  if (node.kind === "array") return node.items.flatMap((item, index) => listTexts(item, [...at, `${index}`]));
  if (node.kind === "object") return node.members.flatMap(({ key, value }) => listTexts(value, [...at, key]));
  const { value, start, end } = node;
  return typeof value === "string" ? [{ at, value, start, end }] : [];
}

interface Layout {
  readonly around: (members: readonly string[]) => string;
  readonly step: string;
  readonly inner: string;
  readonly newLine: string;
}

/** Detects whether an entry is on one line or has one member per line. Also detects its indentation and line ends. */
function detectLayout(text: string, keyStart: number, value: JsonNode): Layout {
  const isOneLine = !text.slice(value.start, value.end).includes("\n");
  const newLine = text.includes("\r\n") ? "\r\n" : "\n";
  const outer = findIndent(text, keyStart);
  const first = value.kind === "object" ? value.members[0] : undefined;
  const inner = first && !isOneLine ? findIndent(text, first.start) : `${outer}  `;
  const step = inner.startsWith(outer) && inner.length > outer.length ? inner.slice(outer.length) : "  ";
  const around = (members: readonly string[]) =>
    isOneLine
      ? `{ ${members.join(", ")} }`
      : `{${newLine}${members.map((each) => `${inner}${each}`).join(`,${newLine}`)}${newLine}${outer}}`;
  return { around, step: isOneLine ? "" : step, inner, newLine };
}

function formatMember(field: string, value: unknown, { step, inner, newLine }: Layout): string {
  const written =
    step === ""
      ? JSON.stringify(value, null, 1).replaceAll(/\n\s*/g, " ")
      : JSON.stringify(value, null, step).replaceAll("\n", `${newLine}${inner}`);
  return `${JSON.stringify(field)}: ${written}`;
}

function findIndent(text: string, at: number): string {
  const lineStart = text.lastIndexOf("\n", at - 1) + 1;
  return /^[ \t]*/.exec(text.slice(lineStart, at))![0];
}
