/** A node of a JSON text with its position. Comments and trailing commas are ignored, as in editors' settings. */
export type JsonNode = { readonly start: number; readonly end: number } & (
  | { readonly kind: "object"; readonly members: readonly JsonMember[] }
  | { readonly kind: "array"; readonly items: readonly JsonNode[] }
  | { readonly kind: "value"; readonly value: string | number | boolean | null }
);

export interface JsonMember {
  readonly key: string;
  readonly start: number;
  readonly value: JsonNode;
}

/**
 * Parses a JSON text. Returns undefined if the text is not JSON. Also returns undefined if the text contains a
 * duplicate key, because its value would be ambiguous.
 */
export function parseJsonTree(text: string): JsonNode | undefined {
  try {
    return new Scanner(text).scan();
  } catch (error) {
    if (error instanceof NotJson) return undefined;
    throw error;
  }
}

export function findMember(node: JsonNode | undefined, key: string): JsonNode | undefined {
  return node?.kind === "object" ? node.members.find((member) => member.key === key)?.value : undefined;
}

export function toPlainJson(node: JsonNode): unknown {
  if (node.kind === "value") return node.value;
  if (node.kind === "array") return node.items.map(toPlainJson);
  return Object.fromEntries(node.members.map(({ key, value }) => [key, toPlainJson(value)]));
}

class NotJson extends Error {}

const maxDepth = 200;

class Scanner {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  scan(): JsonNode {
    const node = this.#value();
    this.#blank();
    if (this.#at !== this.#text.length) throw new NotJson();
    return node;
  }

  #value(): JsonNode {
    this.#blank();
    const start = this.#at;
    const first = this.#text[start];
    if (first === "{") return { ...this.#within(() => this.#members()), start, end: this.#at };
    if (first === "[") return { ...this.#within(() => this.#items()), start, end: this.#at };
    const value = first === '"' ? this.#string() : this.#literal();
    return { kind: "value", value, start, end: this.#at };
  }

  #within<T>(read: () => T): T {
    if (++this.#depth > maxDepth) throw new NotJson();
    this.#at++;
    const found = read();
    this.#depth--;
    return found;
  }

  #members(): { kind: "object"; members: JsonMember[] } {
    const members: JsonMember[] = [];
    while (!this.#ends("}", members.length > 0)) {
      const start = this.#at;
      const key = this.#string();
      if (members.some((member) => member.key === key)) throw new NotJson();
      this.#blank();
      if (this.#text[this.#at++] !== ":") throw new NotJson();
      members.push({ key, start, value: this.#value() });
    }
    return { kind: "object", members };
  }

  #items(): { kind: "array"; items: JsonNode[] } {
    const items: JsonNode[] = [];
    while (!this.#ends("]", items.length > 0)) items.push(this.#value());
    return { kind: "array", items };
  }

  /** Moves past a comma or the closing bracket, and returns whether the list ends here. It accepts a trailing comma. */
  #ends(close: string, isAfterOne: boolean): boolean {
    this.#blank();
    const hasComma = isAfterOne && this.#text[this.#at] === ",";
    if (hasComma) {
      this.#at++;
      this.#blank();
    }
    if (this.#text[this.#at] === close) {
      this.#at++;
      return true;
    }
    if (isAfterOne && !hasComma) throw new NotJson();
    return false;
  }

  #string(): string {
    const [found] = this.#match(/"[^"\\\n\r]*(?:\\.[^"\\\n\r]*)*"/y);
    return parseLiteral(found) as string;
  }

  #literal(): number | boolean | null {
    const [found] = this.#match(/true|false|null|-?\d[\d.eE+-]*/y);
    return parseLiteral(found) as number | boolean | null;
  }

  #blank(): void {
    // Also skips a byte order mark, because the text may start with one.
    this.#match(/(?:[\s\uFEFF]+|\/\/[^\n\r]*|\/\*[\s\S]*?\*\/)*/y);
  }

  #match(pattern: RegExp): RegExpExecArray {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (!found) throw new NotJson();
    this.#at = pattern.lastIndex;
    return found;
  }
}

function parseLiteral(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new NotJson();
  }
}
