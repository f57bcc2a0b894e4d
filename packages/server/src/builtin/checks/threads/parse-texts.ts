import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Language, SyntaxFault } from "./job.ts";

type Parser = (text: string) => Promise<SyntaxFault | undefined>;

/** Returns the first fault of each text, and whether a parser may be corrupt and must not be used again. */
export async function parseTexts(
  texts: readonly { readonly text: string; readonly languages: readonly Language[] }[],
): Promise<{ faults: (SyntaxFault | undefined)[]; spoilt: boolean }> {
  const faults: (SyntaxFault | undefined)[] = [];
  for (const { text, languages } of texts) faults.push(await findSyntaxFault(text, languages));
  return { faults, spoilt: faults.some((fault) => fault?.kind === "too-complex") };
}

/**
 * Returns the first fault of a text. A contract may allow several languages in one place. The text is valid if it
 * parses in one of these languages.
 */
async function findSyntaxFault(
  text: string,
  languages: readonly Language[],
): Promise<SyntaxFault | undefined> {
  // Rejects a text that contains NUL. A parser written in C would stop at the first NUL and accept the text without
  // reading the rest.
  if (text.includes("\0")) return { kind: "nul" };
  let first: SyntaxFault | undefined;
  for (const language of languages) {
    const fault = await parseGuarded(text, parsers[language]);
    if (!fault) return undefined;
    first ??= fault;
  }
  return first;
}

/**
 * Parses a text and returns `too-complex` for a stack overflow, which is a RangeError in JavaScript and a RuntimeError
 * in WebAssembly.
 */
async function parseGuarded(text: string, parse: Parser): Promise<SyntaxFault | undefined> {
  try {
    return await parse(text);
  } catch (error) {
    if (error instanceof Error && /^(?:Range|Runtime)Error$/.test(error.name)) return { kind: "too-complex" };
    throw error;
  }
}

const parsers: Readonly<Record<Language, Parser>> = {
  json: async (text) => {
    try {
      JSON.parse(text);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      const position = /at position (\d+)/.exec(error.message)?.[1];
      return toFaultAt(text, position === undefined ? text.length : Number(position));
    }
    return undefined;
  },

  yaml: async (text) => {
    const { parseAllDocuments } = await import("yaml");
    const documents = parseAllDocuments(text, { logLevel: "silent", prettyErrors: false });
    const errors = Array.isArray(documents) ? documents.flatMap((document) => document.errors) : [];
    const [first] = errors;
    // Returns `too-complex` if the parser's own stack overflowed, because the parser reports the overflow as a fault of
    // the text.
    if (first?.message.includes("call stack")) return { kind: "too-complex" };
    return first && toFaultAt(text, first.pos[0]);
  },

  typescript: (text) => parseEcma(text, ["typescript", "decorators-legacy", "decoratorAutoAccessors"]),

  javascript: (text) => parseEcma(text, ["jsx", "decorators-legacy", "decoratorAutoAccessors"]),

  sql: async (text) => {
    if (text.trim() === "") return undefined;
    const { parse } = await import("libpg-query");
    try {
      await parse(text);
    } catch (error) {
      const details = (error as { sqlDetails?: { message: string; cursorPosition: number } }).sqlDetails;
      if (!details) throw error;
      if (details.message.startsWith("memory exhausted")) return { kind: "too-complex" };
      return toFaultAt(text, details.cursorPosition);
    }
    return undefined;
  },

  shell: async (text) => {
    const { ParseError } = await import("sh-syntax");
    loadedShellParser ??= loadShellParser();
    const parse = await loadedShellParser;
    try {
      await parse(text);
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      const { Line, Col } = error.Pos ?? {};
      return Line && Col ? { kind: "at", line: Line, column: Col } : { kind: "somewhere" };
    }
    return undefined;
  },
};

let loadedShellParser: ReturnType<typeof loadShellParser> | undefined;

/** Compiles the parser once. The package itself would compile its WebAssembly again for every text. */
async function loadShellParser(): Promise<(text: string) => Promise<unknown>> {
  const { getProcessor } = await import("sh-syntax");
  const code = await readFile(fileURLToPath(import.meta.resolve("sh-syntax/main.wasm")));
  const compiled = await webAssembly.compile(code);
  return getProcessor((imports: object) => webAssembly.instantiate(compiled, imports));
}

/**
 * The parts of WebAssembly that this module uses. Their types are declared here, because TypeScript declares them only
 * in its DOM library.
 */
const { WebAssembly: webAssembly } = globalThis as unknown as {
  WebAssembly: {
    compile(code: Uint8Array): Promise<object>;
    instantiate(compiled: object, imports: object): Promise<object>;
  };
};

async function parseEcma(
  text: string,
  plugins: ("typescript" | "jsx" | "decorators-legacy" | "decoratorAutoAccessors")[],
): Promise<SyntaxFault | undefined> {
  const { parse } = await import("@babel/parser");
  try {
    parse(text, { sourceType: "unambiguous", plugins, attachComment: false });
  } catch (error) {
    const place = (error as { loc?: { line: number; column: number } }).loc;
    if (!place) throw error;
    return { kind: "at", line: place.line, column: place.column + 1 };
  }
  return undefined;
}

function toFaultAt(text: string, index: number): SyntaxFault {
  const before = text.slice(0, index);
  const line = before.split("\n").length;
  return { kind: "at", line, column: before.length - before.lastIndexOf("\n") };
}
