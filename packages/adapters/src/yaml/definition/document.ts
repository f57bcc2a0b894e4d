import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument } from "yaml";
import { type ToolDefinition, toolDefinition, toolName } from "./definition.ts";

/** A fault in a file, with its line and the fix. */
export interface FileFault {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/** A function that reports a fault of one tool at a path such as `["args", 0]`. */
export type ToolFaultReporter = (path: FaultPath, message: string) => void;

export interface DefinedTool {
  readonly name: string;
  readonly definition: ToolDefinition;
  createFault(path: FaultPath, message: string): FileFault;
}

export interface ToolsDocument {
  readonly tools: readonly DefinedTool[];
  readonly faults: readonly FileFault[];
}

type FaultPath = readonly PropertyKey[];

/** Parses the tools of one file. Invalid tools are left out, and the others are kept. */
export function parseToolsDocument(file: string, text: string): ToolsDocument {
  const lines = new LineCounter();
  const at = (line: number, message: string): FileFault => ({ file, line, message });
  if (text.length > maxFileLength) {
    return { tools: [], faults: [at(1, "it is larger than 512 KiB: split it into several files")] };
  }
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true, prettyErrors: false });
  const broken = [...document.errors, ...document.warnings].map((error) =>
    at(lines.linePos(error.pos[0]).line, `this is not valid YAML: ${error.message}`),
  );
  if (broken.length > 0) return { tools: [], faults: broken };
  const fault = (path: FaultPath, message: string) => at(findLine(document, lines, path), message);
  try {
    // Limits aliases, so that a small file cannot expand to a large one.
    return readTools(document.toJS({ maxAliasCount: 50 }), fault);
  } catch {
    return {
      tools: [],
      faults: [fault([], "its YAML aliases expand to too much content: replace them with their values")],
    };
  }
}

function readTools(content: unknown, fault: (path: FaultPath, message: string) => FileFault): ToolsDocument {
  if (!isRecord(content) || !isRecord(content.tools)) {
    return {
      tools: [],
      faults: [fault([], "it has no `tools`: add `tools:` with each tool under its name")],
    };
  }
  const faults = Object.keys(content)
    .filter((key) => key !== "tools" && key !== "$schema")
    .map((key) => fault([key], `\`${key}\` is an unknown key: a file contains only \`tools\``));
  const tools: DefinedTool[] = [];
  for (const [name, raw] of Object.entries(content.tools)) {
    const called = toolName.safeParse(name);
    if (!called.success)
      faults.push(fault(["tools", name], `\`${name}\`: ${called.error.issues[0]!.message}`));
    const own = (path: FaultPath, message: string) =>
      fault(["tools", name, ...path], `${[name, ...path].map(String).join(".")}: ${message}`);
    const read = toolDefinition.safeParse(raw);
    if (read.success && called.success) tools.push({ name, definition: read.data, createFault: own });
    for (const issue of read.error?.issues ?? []) {
      const keys = issue.code === "unrecognized_keys" ? issue.keys : [];
      for (const key of keys) faults.push(own([...issue.path, key], "this key is unknown"));
      if (keys.length === 0) faults.push(own(issue.path, issue.message));
    }
  }
  return { tools, faults };
}

/** Returns the line of the last existing element on the path. */
function findLine(document: Document.Parsed, lines: LineCounter, path: FaultPath): number {
  let node: unknown = document.contents;
  let offset = 0;
  for (const name of path) {
    if (isAlias(node)) node = node.resolve(document);
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(name));
      if (!pair) break;
      offset = (isScalar(pair.key) ? pair.key.range?.[0] : undefined) ?? offset;
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(name)];
      offset = (node as { range?: readonly number[] } | undefined)?.range?.[0] ?? offset;
    } else {
      break;
    }
  }
  return lines.linePos(offset).line;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const maxFileLength = 512 * 1024;
