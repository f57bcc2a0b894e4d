import { describe, expect, it } from "vitest";
import { parseJsonPath } from "../definition/json-path.ts";
import { outputRule } from "../definition/output-rule.ts";
import type { CustomReaders } from "./custom-reader.ts";
import { createOutputReader } from "./output-reader.ts";

function reader(rule: unknown) {
  return createOutputReader(outputRule.parse(rule), (path, message) => {
    throw new Error(`${path.join(".")}: ${message}`);
  });
}

function faultsOf(rule: unknown): string[] {
  const faults: string[] = [];
  createOutputReader(outputRule.parse(rule), (path) => faults.push(path.join(".")));
  return faults;
}

describe("code", () => {
  const readers: CustomReaders = {
    csv: (text) => ({ text: text.split(";")[0]!, data: text.split(";"), tokens: { input: 3 }, cost: 0.5 }),
    failing: (text) => ({ text, error: "quota" }),
    broken: () => {
      throw new Error("secret");
    },
    wrong: () => ({ text: "a", tokens: { input: -1 } }),
    surrogate: () => ({ text: "\ud800" }),
  };
  const create = (name: string) =>
    createOutputReader(
      outputRule.parse({ kind: "code", reader: name }),
      (path, message) => {
        throw new Error(`${path.join(".")}: ${message}`);
      },
      readers,
    );

  it("returns the reading of the function that the rule names", () => {
    expect(create("csv")("a;b")).toEqual({ text: "a", data: ["a", "b"], tokens: { input: 3 }, cost: 0.5 });
    expect(create("failing")("x")).toEqual({ text: "x", error: "quota" });
    expect(create("surrogate")("x")).toEqual({ text: "\ufffd" });
  });

  it.each(["broken", "wrong"])(
    "[P9] a function that is %s does not fail the call, because the tool has run",
    (name) => {
      expect(create(name)("output")).toEqual({
        text: "output",
        unread: `The function \`${name}\` did not return a valid reading. Paraph returns the output unchanged.`,
      });
    },
  );

  it("[P11] a name without a function is a fault with the nearest name", () => {
    expect(() => create("cvs")).toThrow(
      "reader: `outputReaders` of the adapter has no function `cvs`: did you mean `csv`?",
    );
    expect(() => create("toString")).toThrow("add the function");
  });
});

it("a text rule returns the output unchanged", () => {
  expect(reader({ kind: "text" })(" a\n")).toEqual({ text: " a\n" });
});

describe("json", () => {
  const read = reader({
    kind: "json",
    text: "$.result",
    data: "$.usage",
    tokens: { input: "$.models.*.in", output: '$["models"].b["out"]' },
    cost: "$.cost",
    error: "$.is_error",
  });

  it("reads text, data, tokens and cost, and adds up the tokens of several models", () => {
    const output = { result: "hi", usage: [1], models: { a: { in: 1 }, b: { in: 2, out: 3 } }, cost: 0.25 };
    expect(read(JSON.stringify({ ...output, is_error: false }))).toEqual({
      text: "hi",
      data: [1],
      tokens: { input: 3, output: 3 },
      cost: 0.25,
    });
  });

  it("returns the tool's own error value as the error", () => {
    expect(read('{"result":"no","is_error":true}').error).toBe("true");
  });

  it("returns output that is not JSON unchanged, with a note", () => {
    expect(read("Segmentation fault")).toEqual({
      text: "Segmentation fault",
      unread: "The output is not JSON. Paraph returns it unchanged.",
    });
  });

  it("replaces lone surrogates, because they have no canonical form", () => {
    const { data } = reader({ kind: "json" })('{"\\ud800":["\\udc00"]}');
    expect(JSON.stringify(data).isWellFormed()).toBe(true);
    expect(data).toEqual({ "\ufffd": ["\ufffd"] });
  });
});

describe("jsonl", () => {
  const message = { when: { "$.type": "message" }, path: "$.text" };
  const lines = [
    "a banner",
    '{"type":"message","text":"one"}',
    '{"type":"usage","text":"x","n":4}',
    '{"type":"message","text":"two"}',
    '{"type":"usage","n":5}',
  ].join("\n");

  it("takes the first, the last or all matches, and adds up numbers", () => {
    const read = (take: string) => reader({ kind: "jsonl", text: { ...message, take } })(lines).text;
    expect([read("first"), read("last"), read("all")]).toEqual(["one", "two", "one\ntwo"]);
    const tokens = { input: { path: "$.n", take: "all" }, output: { path: "$.n" } };
    expect(reader({ kind: "jsonl", text: message, tokens })(lines).tokens).toEqual({ input: 9, output: 5 });
  });

  it("returns the error message of an event that means failure", () => {
    const error = { when: { "$.type": "failed" }, path: "$.error.message" };
    const read = reader({ kind: "jsonl", text: message, error });
    expect(read(lines).error).toBeUndefined();
    expect(read(`${lines}\n{"type":"failed","error":{"message":"quota"}}`).error).toBe("quota");
  });

  it("adds a note if no line is an event", () => {
    expect(reader({ kind: "jsonl", text: message })("a\nb").unread).toContain("not JSON lines");
  });
});

describe("regex", () => {
  it("takes the first group, or the whole match if there is no group", () => {
    const read = reader({
      kind: "regex",
      text: "^answer: (.*)$",
      tokens: { output: "([\\d,]+) tokens" },
      cost: "\\$([0-9.]+)",
      error: "^FATAL.*",
    });
    expect(read("answer: yes\n1,234 tokens, $0.02\n")).toEqual({
      text: "yes",
      tokens: { output: 1234 },
      cost: 0.02,
    });
    expect(read("answer: no\nFATAL quota\n").error).toBe("FATAL quota");
  });

  it("[TRUST 24] takes time linear in the length of the text", () => {
    const read = reader({ kind: "regex", text: "(a+)+$" });
    // A backtracking engine would not finish this.
    read(`${"a".repeat(50_000)}b`);
  });
});

it("[P11] an invalid path or pattern is reported at its field", () => {
  expect(faultsOf({ kind: "json", text: "$.a..b", tokens: { input: "$[" } })).toEqual([
    "text",
    "tokens.input",
  ]);
  expect(faultsOf({ kind: "jsonl", text: { when: { "$.": "x" }, path: "$.a" } })).toEqual(["text"]);
  expect(faultsOf({ kind: "regex", text: "(?=a)", error: "(a{0,30}){0,30}" })).toEqual(["text", "error"]);
});

it("a path finds only an object's own fields", () => {
  expect(parseJsonPath("$.constructor")!({})).toEqual([]);
  expect(parseJsonPath("$[1]")!(["a", "b"])).toEqual(["b"]);
  expect(parseJsonPath("$[*]")!([1, 2])).toEqual([1, 2]);
  expect(parseJsonPath("$['a.b']")!({ "a.b": 1 })).toEqual([1]);
  expect(parseJsonPath("a")).toBeUndefined();
});
