import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type TomlNode, tomlTables } from "./toml-tree.ts";

function plain(node: TomlNode): unknown {
  if (node.kind === "array") return node.items.map(plain);
  if (node.kind === "table")
    return Object.fromEntries(node.members.map(({ key, value }) => [key.join("."), plain(value)]));
  return node.value;
}

it("reads tables and values as they may be written, and knows where they stand", () => {
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
  const tables = tomlTables(text)!;
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
    text: "[nor.this]\r\n",
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

it("reads every text that JSON writes, which TOML writes the same", () => {
  const written = fc.string({ unit: "grapheme" }).filter((text) => !JSON.stringify(text).includes("\\ud"));
  fc.assert(
    fc.property(written, (text) => {
      const [root] = tomlTables(`a = ${JSON.stringify(text)} # "\n`)!;
      expect(root!.statements[0]!.value).toMatchObject({ kind: "string", value: text });
    }),
  );
});

describe("leaves alone what nobody can be sure of", () => {
  it.each([
    "a",
    "a = ",
    "a = 1 b = 2",
    "[a",
    "[a]\n[a]",
    "a = [1 2]",
    "a = { b = 1",
    'a = "\\q"',
    'a = "x',
    "= 1",
  ])("%s", (text) => expect(tomlTables(text)).toBeUndefined());
});
