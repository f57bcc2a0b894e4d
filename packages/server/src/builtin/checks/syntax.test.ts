import { defineCapability, type Json } from "@paraph/core";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createNestedInput, createTestChecks } from "./testing/run-check.ts";

const createCodeSchema = (type: string) => z.string().meta({ contentMediaType: type });
const run = defineCapability({
  name: "code.run",
  version: 1,
  summary: "Run code",
  effect: "write",
  idempotency: "none",
  input: z.looseObject({
    json: createCodeSchema("application/json").optional(),
    yaml: createCodeSchema("application/yaml").optional(),
    typescript: createCodeSchema("text/typescript; charset=utf-8").optional(),
    javascript: createCodeSchema("text/javascript").optional(),
    sql: createCodeSchema("application/sql").optional(),
    shell: createCodeSchema("text/x-shellscript").optional(),
    note: z.string().optional(),
    markdown: createCodeSchema("text/markdown").optional(),
    either: createCodeSchema("application/json").or(createCodeSchema("application/yaml")).optional(),
    files: z.array(z.object({ content: createCodeSchema("application/json") })).optional(),
    byName: z.record(z.string(), createCodeSchema("application/sql")).optional(),
    part: z
      .discriminatedUnion("kind", [
        z.object({ kind: z.literal("query"), text: createCodeSchema("application/sql") }),
        z.object({ kind: z.literal("prose"), text: z.string() }),
      ])
      .optional(),
    tree: z
      .lazy(
        (): z.ZodType => z.object({ sql: createCodeSchema("application/sql"), below: z.any().optional() }),
      )
      .optional(),
  }),
  output: z.object({}),
  apply: async () => ({}),
});
const { judge } = createTestChecks({ contracts: [run.contract] });
const runSyntax = (input: Json, world = {}) => judge("syntax", input, { capability: "code.run" }, world);

const valid: Record<string, string[]> = {
  json: ['{"a":[1,2,{"b":null}]}', "3", '"\ud83d\ude00"'],
  yaml: ["a: 1\nb:\n  - c\n", "---\na\n---\nb\n", ""],
  typescript: [
    "const a: number = 1;",
    "export class A<T> { @inject() private b?: T; constructor(@x readonly c: string) {} }",
    "await fetch('x'); type U = A extends infer B ? B : never;",
    "let x = <T,>(y: T) => y satisfies T;",
    "",
  ],
  javascript: ["const a = <p>{b}</p>;", "module.exports = require('x');"],
  sql: [
    "select 1",
    "insert into t (a) values ($1) on conflict do nothing returning *; -- done",
    "merge into a using b on a.i = b.i when matched then delete",
    "create function f() returns int language sql as $$ select 1 $$",
    "",
  ],
  shell: [
    "echo hi",
    'for f in *.txt; do mv -- "$f" "$f.md"; done',
    "cat <<E\nhello\nE\n",
    "[[ a =~ ^b ]] && echo $((1+2))",
  ],
};
const invalid: Record<string, [text: string, line: number, column: number][]> = {
  json: [
    ["{\n  'a': 1\n}", 2, 3],
    ['{"a":', 1, 6],
  ],
  yaml: [
    ["a: 1\na: 2\n", 2, 1],
    ["a: [", 1, 5],
  ],
  typescript: [
    ["const a: = 1", 1, 10],
    ["a(\nb", 2, 2],
  ],
  javascript: [["const a: number = 1", 1, 8]],
  sql: [["select 1;\nselect from where", 2, 13]],
  shell: [
    ["if then", 1, 1],
    ["echo $(", 1, 6],
  ],
};

describe("check.syntax", () => {
  it.each(Object.entries(valid))("passes valid %s", async (field, texts) => {
    for (const text of texts)
      expect(await runSyntax({ [field]: text }), text).toEqual({ passed: true, findings: [] });
  });

  it.each(Object.entries(invalid))(
    "reports the line and column of invalid %s, and quotes nothing",
    async (field, cases) => {
      for (const [text, line, column] of cases) {
        const { passed, findings } = await runSyntax({ [field]: text });
        expect(passed).toBe(false);
        const sentence = `\`input.${field}\` is not valid ${field}: line ${line}, column ${column}.`;
        expect(findings, text).toEqual([{ code: "syntax-invalid", path: `input.${field}`, sentence }]);
      }
    },
  );

  it("checks only fields that the contract declares as code", async () => {
    const result = await runSyntax({ note: "select from where", markdown: "# [", other: "{{" });
    expect(result).toMatchObject({ passed: true, findings: [{ code: "no-code" }] });
  });

  it("finds declared code in arrays, maps, unions and behind references", async () => {
    const { findings } = await runSyntax({
      files: [{ content: "{}" }, { content: "{" }],
      byName: { fine: "select 1", "not fine": "select from x where", "also ": "selec" },
      part: { kind: "query", text: "selec" },
      tree: { sql: "selec" },
    });
    expect(findings.map(({ path }) => path)).toEqual([
      "input.files[1].content",
      "input.byName{1}",
      "input.byName{2}",
      "input.part.text",
      "input.tree.sql",
    ]);
    expect(await runSyntax({ part: { kind: "prose", text: "selec" } })).toMatchObject({ passed: true });
  });

  it("accepts either language if the contract allows two", async () => {
    expect(await runSyntax({ either: "a: 1" })).toMatchObject({ passed: true });
    expect(await runSyntax({ either: "a: [" })).toMatchObject({ passed: false });
  });

  it("[P11] fails with an error, and does not pass, for an unknown capability", async () => {
    await expect(judge("syntax", {}, { capability: "code.other" })).rejects.toMatchObject({
      code: "contract-unknown",
    });
  });

  it.each(Object.keys(valid))(
    "[P11] does not pass %s with a NUL character, which could hide code",
    async (field) => {
      const result = await runSyntax({ [field]: `${valid[field]![0]}\0 drop` });
      expect(result).toMatchObject({ passed: false, findings: [{ code: "nul-character" }] });
    },
  );

  it.each([
    ["json", "[", "]", ""],
    ["yaml", "[", "]", ""],
    ["typescript", "[", "]", ""],
    ["sql", "(", ")", "select 1"],
    ["shell", "$(", ")", "x"],
  ])(
    "[TRUST 24] survives %s nested 100,000 levels deep, and still checks later input",
    async (field, open, close, middle) => {
      for (const depth of [1_000, 100_000]) {
        const text = open.repeat(depth) + middle + close.repeat(depth);
        const { passed, findings } = await runSyntax({ [field]: text });
        if (!passed) expect(findings[0]!.code).toMatch(/^(too-complex|syntax-invalid)$/);
        expect(await runSyntax({ [field]: valid[field]![0]! }), "afterwards").toMatchObject({ passed: true });
      }
    },
  );

  it("[TRUST 24] checks about a megabyte of each language, or reports that the text is too complex", async () => {
    const long: Record<string, string> = {
      json: JSON.stringify(Array(200_000).fill(1.5)),
      yaml: `a: ${"y".repeat(1_000_000)}`,
      typescript: "a = b(1);\n".repeat(100_000),
      sql: "select 1;\n".repeat(100_000),
      shell: `echo '${"x".repeat(400_000)}'`,
    };
    for (const [field, text] of Object.entries(long))
      expect(await runSyntax({ [field]: text }), field).toMatchObject({ passed: true });
    const tooMuch = await runSyntax({ shell: `echo '${"x".repeat(1_000_000)}'` });
    expect(tooMuch).toMatchObject({ passed: false, findings: [{ code: "too-complex" }] });
  });

  it("survives lone surrogates, prototype keys and deep input beside the code", async () => {
    const hostile = JSON.parse('{"__proto__":{"sql":"selec"},"constructor":"x"}');
    expect(
      await runSyntax({ ...hostile, sql: "select '\ud800'", deep: createNestedInput(1_000, "x") }),
    ).toMatchObject({
      passed: true,
    });
    expect(await runSyntax(hostile)).toMatchObject({ passed: true });
  });

  it("never runs the code that it reads", async () => {
    const mark = `/tmp/paraph-check-${process.pid}`;
    await runSyntax({
      shell: `touch ${mark}; echo $(touch ${mark})`,
      typescript: `import fs from "node:fs"; fs.writeFileSync("${mark}", "")`,
      javascript: `require("fs").writeFileSync("${mark}", "")`,
      yaml: `!!js/function 'function () { require("fs").writeFileSync("${mark}", "") }'`,
    });
    const { existsSync } = await import("node:fs");
    expect(existsSync(mark)).toBe(false);
  });

  it("[P15] stops at its deadline while a parser is running", async () => {
    const stop = new AbortController();
    const slow = runSyntax({ yaml: "- a\n".repeat(1_000_000) }, { signal: stop.signal });
    setTimeout(() => stop.abort(), 50);
    // If the parser ran to its end, the promise would resolve.
    await expect(slow).rejects.toMatchObject({ code: "stopped" });
  });
});
