import { type AST, ParseError, parseTOML } from "toml-eslint-parser";

/**
 * A table of a TOML text with positions. It holds only the parts that are needed to find tables and read their values.
 */
export interface TomlTable {
  readonly path: readonly string[];
  /**
   * The start of the table's range, which extends from the header to the end of the last statement. The root has no
   * header.
   */
  readonly start: number;
  readonly end: number;
  /** The end of the header. */
  readonly headEnd: number;
  readonly statements: readonly TomlStatement[];
}

export interface TomlStatement {
  readonly key: readonly string[];
  readonly start: number;
  readonly end: number;
  readonly value: TomlNode;
}

export type TomlNode = { readonly start: number; readonly end: number } & (
  | { readonly kind: "string"; readonly value: string }
  | { readonly kind: "array"; readonly items: readonly TomlNode[] }
  | { readonly kind: "table"; readonly members: readonly TomlStatement[] }
  /** A number, a boolean or a time, as written. */
  | { readonly kind: "other"; readonly value: string }
);

/**
 * Returns the tables of a text, the root first. Returns undefined if the text is not TOML 1.0 or is nested too deeply.
 */
export function parseTomlTables(text: string): readonly TomlTable[] | undefined {
  // TOML allows a carriage return only before a line feed. The parser also accepts a carriage return alone as a line
  // end, so this check rejects it.
  if (/\r(?!\n)/.test(text)) return undefined;
  const from = text.startsWith(byteOrderMark) ? byteOrderMark.length : 0;
  try {
    // The code adds a line feed, because the parser misplaces a `0` at the end of the text.
    const { body } = parseTOML(`${text.slice(from)}\n`, { tomlVersion: "1.0" }).body[0];
    return new TableReader(text, from).readTables(body);
  } catch (error) {
    if (error instanceof ParseError || error instanceof TooDeep) return undefined;
    // The parser is recursive, so a stack overflow means that the text is nested too deeply.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const byteOrderMark = "\ufeff";

class TooDeep extends Error {}

const maxDepth = 100;

/** Converts the parser's nodes, whose positions are relative to `from`. */
class TableReader {
  readonly #text: string;
  readonly #from: number;

  constructor(text: string, from: number) {
    this.#text = text;
    this.#from = from;
  }

  readTables(body: AST.TOMLTopLevelTable["body"]): TomlTable[] {
    const root = body.filter((one) => one.type === "TOMLKeyValue").map((one) => this.#statement(one, 0));
    const tables = body.filter((one) => one.type === "TOMLTable").map((one) => this.#table(one));
    return [{ path: [], start: 0, headEnd: 0, statements: root, end: root.at(-1)?.end ?? 0 }, ...tables];
  }

  #table({ key, kind, body, range }: AST.TOMLTable): TomlTable {
    const close = kind === "array" ? "]]" : "]";
    const headEnd = this.#text.indexOf(close, this.#from + key.range[1]) + close.length;
    const statements = body.map((one) => this.#statement(one, 0));
    const start = this.#from + range[0];
    return { path: listKeyNames(key), start, headEnd, statements, end: statements.at(-1)?.end ?? headEnd };
  }

  #statement({ key, value, range }: AST.TOMLKeyValue, depth: number): TomlStatement {
    const [start, end] = this.#placeOf(range);
    return { key: listKeyNames(key), start, end, value: this.#value(value, depth) };
  }

  #value(node: AST.TOMLContentNode, depth: number): TomlNode {
    if (depth >= maxDepth) throw new TooDeep();
    const [start, end] = this.#placeOf(node.range);
    if (node.type === "TOMLArray")
      return { kind: "array", items: node.elements.map((one) => this.#value(one, depth + 1)), start, end };
    if (node.type === "TOMLInlineTable")
      return { kind: "table", members: node.body.map((one) => this.#statement(one, depth + 1)), start, end };
    if (node.kind === "string") return { kind: "string", value: node.value, start, end };
    return { kind: "other", value: this.#text.slice(start, end), start, end };
  }

  #placeOf([start, end]: AST.Range): [number, number] {
    return [this.#from + start, this.#from + end];
  }
}

function listKeyNames({ keys }: AST.TOMLKey): string[] {
  return keys.map((key) => (key.type === "TOMLBare" ? key.name : key.value));
}
