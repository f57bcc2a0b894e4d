/** A TOML text with its places: as much of it as is needed to find a table and to know what its values are. */
export interface TomlTable {
  readonly path: readonly string[];
  /** From its header to the end of its last statement; the root has no header. */
  readonly start: number;
  readonly end: number;
  /** Where its header ends. */
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
  /** A number, a truth value or a time, as it is written. */
  | { readonly kind: "other"; readonly value: string }
);

/** The tables of a text, the root first; undefined where it is not TOML, or has one table twice. */
export function tomlTables(text: string): readonly TomlTable[] | undefined {
  try {
    return new Scanner(text).tables();
  } catch (error) {
    if (error instanceof NotToml) return undefined;
    throw error;
  }
}

class NotToml extends Error {}

const deepest = 100;

class Scanner {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  tables(): TomlTable[] {
    const tables = [this.#table([], 0, 0)];
    const seen = new Set<string>();
    while (this.#at < this.#text.length) {
      const start = this.#at;
      const isList = this.#text.startsWith("[[", start);
      this.#take(isList ? /\[\[/y : /\[/y);
      const path = this.#key();
      this.#take(isList ? /\]\]/y : /\]/y);
      const name = JSON.stringify(path);
      if (!isList && seen.has(name)) throw new NotToml();
      seen.add(name);
      const headEnd = this.#at;
      this.#lineEnd();
      tables.push(this.#table(path, start, headEnd));
    }
    return tables;
  }

  #table(path: readonly string[], start: number, headEnd: number): TomlTable {
    const statements: TomlStatement[] = [];
    this.#blankLines();
    while (this.#at < this.#text.length && this.#text[this.#at] !== "[") {
      statements.push(this.#statement());
      this.#lineEnd();
      this.#blankLines();
    }
    return { path, start, headEnd, statements, end: statements.at(-1)?.end ?? headEnd };
  }

  #statement(): TomlStatement {
    const start = this.#at;
    const key = this.#key();
    this.#take(/=[ \t]*/y);
    const value = this.#value();
    return { key, start, end: value.end, value };
  }

  #key(): string[] {
    const parts: string[] = [];
    do {
      this.#take(/[ \t]*/y);
      const first = this.#text[this.#at];
      parts.push(first === '"' || first === "'" ? this.#string() : this.#take(/[A-Za-z0-9_-]+/y));
      this.#take(/[ \t]*/y);
    } while (this.#accept("."));
    return parts;
  }

  #value(): TomlNode {
    const start = this.#at;
    const first = this.#text[start];
    if (first === '"' || first === "'")
      return { kind: "string", value: this.#string(), start, end: this.#at };
    if (first === "[") {
      const items = this.#list("]", () => this.#value());
      return { kind: "array", items, start, end: this.#at };
    }
    if (first === "{") {
      const members = this.#list("}", () => this.#statement());
      return { kind: "table", members, start, end: this.#at };
    }
    // A date may have its time behind a blank.
    const value = this.#take(/[^\s,\]}#="'[{]+(?: \d\d:[^\s,\]}#]+)?/y);
    return { kind: "other", value, start, end: this.#at };
  }

  #list<T>(close: string, read: () => T): T[] {
    if (++this.#depth > deepest) throw new NotToml();
    const found: T[] = [];
    this.#at++;
    for (this.#blankLines(); !this.#accept(close); this.#blankLines()) {
      found.push(read());
      this.#blankLines();
      if (this.#accept(",")) continue;
      if (this.#text[this.#at] !== close) throw new NotToml();
    }
    this.#depth--;
    return found;
  }

  #string(): string {
    if (this.#text.startsWith('"""', this.#at))
      return unescaped(this.#take(/"""[\s\S]*?(?:(?<!\\)(?:\\\\)*"""(?!"))/y).slice(3, -3), true);
    if (this.#text.startsWith("'''", this.#at))
      return this.#take(/'''[\s\S]*?'''(?!')/y)
        .slice(3, -3)
        .replace(/^\r?\n/, "");
    if (this.#text[this.#at] === "'") return this.#take(/'[^'\n\r]*'/y).slice(1, -1);
    return unescaped(this.#take(/"[^"\\\n\r]*(?:\\.[^"\\\n\r]*)*"/y).slice(1, -1), false);
  }

  /** What may stand behind a statement on its line. */
  #lineEnd(): void {
    this.#take(/[ \t]*(?:#[^\n\r]*)?(?:\r?\n|$)/y);
  }

  #blankLines(): void {
    this.#take(/(?:[\s\uFEFF]+|#[^\n\r]*)*/y);
  }

  #accept(sign: string): boolean {
    if (this.#text[this.#at] !== sign) return false;
    this.#at += sign.length;
    return true;
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (!found) throw new NotToml();
    this.#at = pattern.lastIndex;
    return found[0];
  }
}

const escapes: Readonly<Record<string, string>> = {
  ...{ b: "\b", t: "\t", n: "\n", f: "\f", r: "\r", e: "\u001b", '"': '"', "\\": "\\" },
};

function unescaped(text: string, isMultiLine: boolean): string {
  const joined = isMultiLine ? text.replace(/^\r?\n/, "").replaceAll(/\\[ \t]*\r?\n\s*/g, "") : text;
  return joined.replaceAll(
    /\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|x([0-9a-fA-F]{2})|(.))/g,
    (_, four, eight, two, sign) => {
      const code = four ?? eight ?? two;
      if (code === undefined) {
        const known = escapes[sign];
        if (known === undefined) throw new NotToml();
        return known;
      }
      const point = Number.parseInt(code, 16);
      if (point > 0x10ffff) throw new NotToml();
      return String.fromCodePoint(point);
    },
  );
}
