import { CliError } from "../cli-error.ts";
import {
  type Editable,
  type JsonNode,
  jsonTree,
  memberOf,
  type Piece,
  plainOf,
} from "../file-edits/index.ts";
import { ourCommands } from "./settings.ts";

/** What is to stand under each event. */
export type Groups = Readonly<Record<string, object>>;

/** Puts our groups in, in place of those of ours that are there; everything else keeps every byte. */
export function installing({ path, text }: Editable, groups: Groups): Piece[] {
  const added = Object.fromEntries(Object.entries(groups).map(([event, group]) => [event, [group]]));
  if (text.trim() === "") {
    const whole = `${JSON.stringify({ hooks: added }, null, 2)}\n`;
    return [{ start: 0, end: text.length, text: whole, place: "hooks" }];
  }
  const tree = clear(jsonTree(text), path);
  const hooks = memberOf(tree, "hooks");
  if (hooks === undefined) return [inserted(text, tree, { hooks: added }, "hooks")];
  clear(hooks, path);
  const missing = Object.entries(added).filter(([event]) => memberOf(hooks, event) === undefined);
  const pieces = Object.entries(groups).flatMap(([event, group]) => {
    const list = memberOf(hooks, event);
    if (list === undefined) return [];
    if (list.kind !== "array") throw unclear(path);
    const place = `hooks.${event}`;
    const ours = list.items.filter((item) => isOurGroup(item, event));
    if (ours.length === 0) return [inserted(text, list, [group], place)];
    return ours.map((item) => ({
      start: item.start,
      end: item.end,
      place,
      text: laidOut(group, indentAt(text, item.start)),
    }));
  });
  if (missing.length === 0) return pieces;
  return [...pieces, inserted(text, hooks, Object.fromEntries(missing), "hooks")];
}

/** Takes our groups out, and nothing else. */
export function removing({ path, text }: Editable, events: readonly string[]): Piece[] {
  const tree = jsonTree(text);
  if (tree === undefined) throw unclear(path);
  return events.flatMap((event) => {
    const list = memberOf(memberOf(tree, "hooks"), event);
    if (list?.kind !== "array") return [];
    const place = `hooks.${event}`;
    const lastKept = list.items.findLastIndex((item) => !isOurGroup(item, event));
    const early = list.items.slice(0, Math.max(lastKept, 0)).flatMap((item, index) => {
      if (!isOurGroup(item, event)) return [];
      return [{ start: item.start, end: list.items[index + 1]!.start, text: "", place }];
    });
    // Of the last ones the comma before them goes, so that none is left over.
    const [first, last] = [list.items[lastKept + 1], list.items.at(-1)];
    if (!first || !last) return early;
    const start = lastKept < 0 ? first.start : list.items[lastKept]!.end;
    return [...early, { start, end: last.end, text: "", place }];
  });
}

function isOurGroup(item: JsonNode, event: string): boolean {
  return ourCommands({ hooks: { [event]: [plainOf(item)] } }, event).length > 0;
}

/** At the beginning: whatever stands at the end (a comma too many, a comment) stays as it is. */
function inserted(text: string, node: JsonNode, value: object, place: string): Piece {
  const start = node.start + 1;
  const children = childrenOf(node);
  const first = children[0];
  const gap = first === undefined ? "" : text.slice(start, first);
  const isLaidOut = /^\s*\n\s*$/.test(gap);
  const outer = indentAt(text, node.start);
  const inner = isLaidOut ? indentAt(text, first!) : `${outer}  `;
  const parts = Array.isArray(value)
    ? value.map((item) => laidOut(item, inner))
    : Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${laidOut(member, inner)}`);
  const written = parts.map((part) => `\n${inner}${part}`).join(",");
  return { start, end: start, text: `${written}${first === undefined ? `\n${outer}` : ","}`, place };
}

function childrenOf(node: JsonNode): readonly number[] {
  if (node.kind === "array") return node.items.map(({ start }) => start);
  return node.kind === "object" ? node.members.map(({ start }) => start) : [];
}

function laidOut(value: unknown, indent: string): string {
  return JSON.stringify(value, null, 2).replaceAll("\n", `\n${indent}`);
}

function indentAt(text: string, at: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", at - 1) + 1, at))![0];
}

function clear(node: JsonNode | undefined, path: string): JsonNode {
  if (node?.kind === "object") return node;
  throw unclear(path);
}

function unclear(path: string): CliError {
  return new CliError(
    "settings-unclear",
    `\`${path}\` is not as its client would read it, so it is left as it is: mend it, or write the hook in by hand (docs/hooks.md).`,
  );
}
