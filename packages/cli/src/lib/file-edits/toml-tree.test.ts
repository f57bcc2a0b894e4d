import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { invalidToml, validToml } from "../../testing/invalid-toml.ts";
import { parseTomlTables, type TomlNode } from "./toml-tree.ts";

function plain(node: TomlNode): unknown {
  if (node.kind === "array") return node.items.map(plain);
  if (node.kind === "table")
    return Object.fromEntries(node.members.map(({ key, value }) => [key.join("."), plain(value)]));
  return node.value;
}

it("reads tables and values in various notations, with their positions", () => {
  const text = [
    "# [not.a.table]",
    'model = "x" # why [neither]',
    "when = 1979-05-27 07:32:00Z",
    "text = '''",
    "[nor.this]",
    "'''",
    'long = """\\',
    '   one \\"""  two"""',
    "",
    '[mcp_servers."odd \\u00fc name"] # mine',
    "command = 'npx'",
    "args = [",
    '  "-y", # ] yes',
    '  "a\\tb",',
    "]",
    'env = { TOKEN = "s # }", "OTHER" = "=" }',
    "enabled = true",
    "[[list]]",
    "[[list]]",
    "a.b = 1.5e3",
    "[ mcp_servers . last ]",
  ].join("\r\n");
  const tables = parseTomlTables(text)!;
  expect(tables.map(({ path }) => path.join("/"))).toEqual([
    "",
    "mcp_servers/odd ü name",
    "list",
    "list",
    "mcp_servers/last",
  ]);
  const values = ({ statements }: (typeof tables)[number]) =>
    Object.fromEntries(statements.map(({ key, value }) => [key.join("."), plain(value)]));
  expect(values(tables[0]!)).toEqual({
    model: "x",
    when: "1979-05-27 07:32:00Z",
    text: "[nor.this]\n",
    long: 'one """  two',
  });
  expect(values(tables[1]!)).toEqual({
    command: "npx",
    args: ["-y", "a\tb"],
    env: { TOKEN: "s # }", OTHER: "=" },
    enabled: "true",
  });
  const { start, headEnd, end } = tables[1]!;
  expect(text.slice(start, headEnd)).toBe('[mcp_servers."odd \\u00fc name"]');
  expect(text.slice(start, end).endsWith("enabled = true")).toBe(true);
  const [, args] = tables[1]!.statements;
  expect(text.slice(args!.start, args!.end)).toMatch(/^args = \[[\s\S]*\]$/);
});

it("reads any string in JSON notation, which TOML shares", () => {
  const written = fc.string({ unit: "grapheme" }).filter((text) => !JSON.stringify(text).includes("\\ud"));
  fc.assert(
    fc.property(written, (text) => {
      const [root] = parseTomlTables(`a = ${JSON.stringify(text)} # "\n`)!;
      expect(root!.statements[0]!.value).toMatchObject({ kind: "string", value: text });
    }),
  );
});

describe("rejects text that is not TOML", () => {
  it.each(Object.entries(invalidToml))("[TRUST 31] invalid %s", (_, documents) => {
    expect(documents.filter((text) => parseTomlTables(text) !== undefined)).toEqual([]);
    // The parser also rejects invalid text that follows valid text.
    const behind = documents.map((text) => `first = 1 # kept\n\n${text}`);
    expect(behind.filter((text) => parseTomlTables(text) !== undefined)).toEqual([]);
  });

  it("text that is nested more than 100 levels deep", () => {
    for (const depth of [101, 2_000, 20_000])
      expect(parseTomlTables(`a = ${"[".repeat(depth)}${"]".repeat(depth)}`)).toBeUndefined();
  });
});

describe("finds every table and statement of valid TOML", () => {
  it.each(validToml)("%j", (text, paths) => {
    const tables = parseTomlTables(text)!;
    expect(tables.map(({ path }) => path.join("/"))).toEqual(paths);
    for (const { start, headEnd, end, path, statements } of tables) {
      if (path.length > 0) expect(text.slice(start, headEnd)).toMatch(/^\[.*\]$/);
      expect(end).toBe(statements.at(-1)?.end ?? headEnd);
      for (const statement of statements)
        expect(text.slice(statement.start, statement.value.start)).toMatch(/=[ \t]*$/);
    }
  });

  it.each([
    "0",
    "-0",
    "0.0",
    "10",
    "0x0",
    "true",
    "'0'",
    '"0"',
    "[0]",
    "{ b = 0 }",
    "00:00:00",
    "2000-01-01",
  ])("the position of %s at the end of the text", (written) => {
    const text = `a = ${written}`;
    const [{ start, end }] = parseTomlTables(text)![0]!.statements.map(({ value }) => value) as [TomlNode];
    expect(text.slice(start, end)).toBe(written);
  });

  it("replacing values at their positions keeps comments and layout", () => {
    const replaced = validToml.map(([text]) => {
      const values = parseTomlTables(text)!.flatMap(({ statements }) => statements.map(({ value }) => value));
      const holes = values.map(({ start, end }) => [start, end] as const);
      let at = 0;
      const around = holes.map(([start, end]) => {
        const piece = text.slice(at, start);
        at = end;
        return piece;
      });
      return {
        edited: `${around.map((piece) => `${piece}0`).join("")}${text.slice(at)}`,
        count: values.length,
      };
    });
    for (const { edited, count } of replaced) {
      const values = parseTomlTables(edited)!.flatMap(({ statements }) =>
        statements.map(({ value }) => value),
      );
      expect(values.map((value) => ("value" in value ? value.value : ""))).toEqual(Array(count).fill("0"));
    }
    expect(replaced.find(({ edited }) => edited.includes("# kept"))?.edited).toBe(
      '[ a . "b.c" ]  # kept\n\n\n  [d]\n\tx = 0',
    );
  });
});
