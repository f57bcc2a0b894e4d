import { CliError } from "../../lib/cli-error.ts";
import {
  type EditableFile,
  findMember,
  type JsonNode,
  type Piece,
  parseJsonTree,
  toPlainJson,
} from "../../lib/file-edits/index.ts";
import { listParaphHookCommands } from "./client-settings.ts";

export type HookGroups = Readonly<Record<string, object>>;

/**
 * Builds the edits that add Paraph's hook groups and replace existing groups of Paraph that differ. All other bytes of
 * the file stay the same.
 */
export function buildInstallEdits({ path, text }: EditableFile, groups: HookGroups): Piece[] {
  const added = Object.fromEntries(Object.entries(groups).map(([event, group]) => [event, [group]]));
  if (text.trim() === "") {
    const whole = `${JSON.stringify({ hooks: added }, null, 2)}\n`;
    return [{ start: 0, end: text.length, text: whole, place: "hooks" }];
  }
  const tree = requireObject(parseJsonTree(text), path);
  const hooks = findMember(tree, "hooks");
  if (hooks === undefined) return [buildInsertion(text, tree, { hooks: added }, "hooks")];
  requireObject(hooks, path);
  const missing = Object.entries(added).filter(([event]) => findMember(hooks, event) === undefined);
  const pieces = Object.entries(groups).flatMap(([event, group]) => {
    const list = findMember(hooks, event);
    if (list === undefined) return [];
    if (list.kind !== "array") throw unclearSettingsError(path);
    const place = `hooks.${event}`;
    const ours = list.items.filter((item) => isParaphGroup(item, event));
    if (ours.length === 0) return [buildInsertion(text, list, [group], place)];
    return ours
      .map(({ start, end }) => ({ start, end, place, text: formatJson(group, findIndent(text, start)) }))
      .filter((piece) => text.slice(piece.start, piece.end) !== piece.text);
  });
  if (missing.length === 0) return pieces;
  return [...pieces, buildInsertion(text, hooks, Object.fromEntries(missing), "hooks")];
}

/** Removes only our groups. */
export function buildRemovalEdits({ path, text }: EditableFile, events: readonly string[]): Piece[] {
  if (text.trim() === "") return [];
  const tree = parseJsonTree(text);
  if (tree === undefined) throw unclearSettingsError(path);
  return events.flatMap((event) => {
    const list = findMember(findMember(tree, "hooks"), event);
    if (list?.kind !== "array") return [];
    const place = `hooks.${event}`;
    const lastKept = list.items.findLastIndex((item) => !isParaphGroup(item, event));
    const early = list.items.slice(0, Math.max(lastKept, 0)).flatMap((item, index) => {
      if (!isParaphGroup(item, event)) return [];
      return [{ start: item.start, end: list.items[index + 1]!.start, text: "", place }];
    });
    // If the last items are removed, the comma before them is removed too, so that no trailing comma remains.
    const [first, last] = [list.items[lastKept + 1], list.items.at(-1)];
    if (!first || !last) return early;
    const start = lastKept < 0 ? first.start : list.items[lastKept]!.end;
    return [...early, { start, end: last.end, text: "", place }];
  });
}

function isParaphGroup(item: JsonNode, event: string): boolean {
  return listParaphHookCommands({ hooks: { [event]: [toPlainJson(item)] } }, event).length > 0;
}

/** Inserts the value at the beginning of the node, so that a trailing comma or a comment at the end stays as it is. */
function buildInsertion(text: string, node: JsonNode, value: object, place: string): Piece {
  const start = node.start + 1;
  const children = listChildStarts(node);
  const first = children[0];
  const gap = first === undefined ? "" : text.slice(start, first);
  const isLaidOut = /^\s*\n\s*$/.test(gap);
  const outer = findIndent(text, node.start);
  const inner = isLaidOut ? findIndent(text, first!) : `${outer}  `;
  const parts = Array.isArray(value)
    ? value.map((item) => formatJson(item, inner))
    : Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${formatJson(member, inner)}`);
  const written = parts.map((part) => `\n${inner}${part}`).join(",");
  return { start, end: start, text: `${written}${first === undefined ? `\n${outer}` : ","}`, place };
}

function listChildStarts(node: JsonNode): readonly number[] {
  if (node.kind === "array") return node.items.map(({ start }) => start);
  return node.kind === "object" ? node.members.map(({ start }) => start) : [];
}

function formatJson(value: unknown, indent: string): string {
  return JSON.stringify(value, null, 2).replaceAll("\n", `\n${indent}`);
}

function findIndent(text: string, at: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", at - 1) + 1, at))![0];
}

function requireObject(node: JsonNode | undefined, path: string): JsonNode {
  if (node?.kind === "object") return node;
  throw unclearSettingsError(path);
}

function unclearSettingsError(path: string): CliError {
  return new CliError(
    "settings-unclear",
    `\`${path}\` does not have the format that its client expects, so Paraph did not change it. Correct the file, or add the hook yourself as docs/connect/hooks.md describes.`,
  );
}
