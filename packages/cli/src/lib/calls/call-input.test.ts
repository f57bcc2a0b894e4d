import { expect, it } from "vitest";
import { type InputSources, readCallInput, suggestJsonMembers } from "./call-input.ts";

const sources: InputSources = {
  async file(path) {
    if (path === "draft.txt") return "Hello\n";
    if (path === "input.json") return '{"a":1,"b":2}';
    throw Object.assign(new Error("gone"), { code: "ENOENT" });
  },
  standardInput: async () => '{"from":"stdin"}',
};
const parse = (args: string[], input?: string) => readCallInput(args, input, sources);

it("reads texts, JSON values and files", async () => {
  expect(
    await parse(["path=a=b.txt", "count:=3", 'deep:={"x":[true]}', "content@draft.txt", "empty="]),
  ).toEqual({
    path: "a=b.txt",
    count: 3,
    deep: { x: [true] },
    content: "Hello\n",
    empty: "",
  });
});

it("splits an argument at its first separator", async () => {
  expect(await parse(["url=http://x?a:=1@b", "mail=a@b.c"])).toEqual({
    url: "http://x?a:=1@b",
    mail: "a@b.c",
  });
});

it("reads the whole input as JSON from an argument, a file or standard input", async () => {
  expect(await parse(['{"path":"x"}'])).toEqual({ path: "x" });
  expect(await parse([], "-")).toEqual({ from: "stdin" });
  expect(await parse(["b=over"], "input.json")).toEqual({ a: 1, b: "over" });
  expect(await parse([])).toEqual({});
});

it("reads __proto__ as an ordinary field", async () => {
  expect(Object.keys((await parse(["__proto__=x"])) as object)).toEqual(["__proto__"]);
});

it.each([
  [["nonsense"], undefined, "is not a valid input argument"],
  [["a=1", "a=2"], undefined, "given twice"],
  [["a:=nope"], undefined, "not valid JSON"],
  [["a@missing.txt"], undefined, "no file `missing.txt`"],
  [['{"a":1}', "b=2"], undefined, "more than once"],
  [['{"a":1}'], "input.json", "more than once"],
  [["{broken"], undefined, "not valid JSON"],
])("refuses %j %s: %s", async (args, input, message) => {
  await expect(parse(args, input)).rejects.toMatchObject({
    exitCode: 2,
    message: expect.stringContaining(message),
  });
});

const zod = "Invalid input: expected number, received string";
it.each([
  [["limit=7"], `limit: ${zod}`, "`limit:=7`"],
  [["limit=7"], "limit: has to be of type integer or null", "`limit:=7`"],
  [
    ["a=x", "on=true", "n=1"],
    `on: Invalid input: expected boolean, received string; n: ${zod}`,
    "`on:=true` `n:=1`",
  ],
  [["limit:=true"], "limit: Invalid input: expected number, received boolean", undefined],
  [["name="], "name: Too small: expected string to have >=1 characters", undefined],
  [["name=x"], "name: has to be of type string or null", undefined],
  [["limit=7"], `deep.limit: ${zod}`, undefined],
])("advises `key:=json` if a number field gets text, as in %j: %s", (args, faults, advice) => {
  const found = suggestJsonMembers(args, `The input does not fit \`ops.set_limit\`: ${faults}.`);
  if (advice === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(`write ${advice}.`);
});
