import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse } from "@babel/parser";
import { describe, expect, it } from "vitest";

/**
 * The patterns that the rules of plain technical English forbid, because readers must read such a sentence twice. The
 * list has few, reliable patterns, because a false alarm costs more than a missed sentence.
 */
const forbidden: readonly (readonly [RegExp, string])[] = [
  [/\b(nobody|somebody|whoever|anybody|everybody)\b/i, "name the actor: the requester, an approver, Paraph"],
  [/\banew\b/i, "write `again`"],
  [/\bfor ever\b/i, "write `permanently` or `without end`"],
  [/\bin vain\b/i, "say what did not happen"],
  [/\bunless given\b/i, "write `(default: …)`"],
  [/\bis none that\b/i, "say what it is"],
  [/\bsays of\b/i, "name what is said"],
  [/\ba moment ago\b/i, "write `just now`, or say when"],
];

/** A comment that begins like this describes a thing as a clause: "What a call costs" for "The cost of a call". */
const clauseStart = /^(\[[^\]]+\] )*(What|Who|Whose|Whom|Where|How)\b[^?]*$/;

/** Texts in which a forbidden word is a name or is quoted. */
const exceptions: readonly (readonly [file: string, part: string])[] = [
  ["packages/dev-servers/src/postgres-user.ts", "user `postgres` or `nobody`"],
  ["packages/adapters/src/process/sandbox/sandbox.ts", ":nobody:"],
  ["packages/server/src/builtin/checks/model/judge-with-model.ts", "never instructs you"],
  ["test/support/mailbox.ts", "mail to `nobody`"],
];

const root = fileURLToPath(new URL("..", import.meta.url));
const files = execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" }).trim().split("\n");
const read = (file: string) => readFileSync(`${root}/${file}`, "utf8");

const isScript = /\.tsx?$/;
const isTest = (file: string) =>
  /\.test\.tsx?$|(^|\/)test(ing)?[/-]|(^|\/)testing\.ts$|^(lab|bench)\//.test(file);

describe.each([
  [
    "comments",
    files.filter((file) => isScript.test(file) && !file.endsWith("language.test.ts")),
    listComments,
  ],
  ["SQL comments", files.filter((file) => /sql\/functions\/.*\.sql$/.test(file)), listSqlComments],
  [
    "errors, help texts and pages",
    files.filter((file) => file.startsWith("packages/") && isScript.test(file) && !isTest(file)),
    listTexts,
  ],
  ["pages of documentation", files.filter((file) => file.endsWith(".md")), listProse],
] as const)("%s", (_name, checked, list) => {
  it("use no forbidden pattern", () => {
    expect(checked.length).toBeGreaterThan(10);
    const faults = checked.flatMap((file) =>
      list(file).flatMap((text) => {
        const isExempt = exceptions.some(([where, part]) => where === file && text.includes(part));
        return isExempt ? [] : findFaults(text).map((fault) => `${file}: ${fault}: ${text.slice(0, 160)}`);
      }),
    );
    expect(faults).toEqual([]);
  });
});

it("comments do not begin with a clause", () => {
  const faults = files
    .filter((file) => isScript.test(file))
    .flatMap((file) =>
      listComments(file).flatMap((text) => (clauseStart.test(text) ? [`${file}: ${text}`] : [])),
    );
  expect(faults).toEqual([]);
});

it("the patterns find what they are for", () => {
  expect(findFaults(`No${"body"} knows an${"ew"}.`)).toHaveLength(2);
  expect(findFaults("Paraph asks an approver again.")).toEqual([]);
  expect(clauseStart.test("[P5] What the call costs")).toBe(true);
  expect(clauseStart.test("How long the call takes")).toBe(true);
  expect(clauseStart.test("Where is it?")).toBe(false);
});

function findFaults(text: string): string[] {
  return forbidden.flatMap(([pattern, advice]) => {
    const [found] = pattern.exec(text) ?? [];
    return found === undefined ? [] : [`"${found}" (${advice})`];
  });
}

function listComments(file: string): string[] {
  return parseSource(file).comments?.map(({ value }) => joinLines(value.replace(/^\s*\*+/gm, ""))) ?? [];
}

/** Lists the string literals, the literal parts of templates and the texts of elements that contain more than one word. */
function listTexts(file: string): string[] {
  const tokens = (parseSource(file).tokens ?? []) as readonly {
    readonly type: { readonly label?: string };
    readonly value?: unknown;
  }[];
  return tokens.flatMap(({ type: { label = "" }, value }) =>
    (label === "string" || label === "jsxText" || label.startsWith("...")) &&
    typeof value === "string" &&
    value.includes(" ")
      ? [joinLines(value)]
      : [],
  );
}

function listSqlComments(file: string): string[] {
  return [...read(file).matchAll(/--\s*(.*)/g)].map(([, text = ""]) => text);
}

/** Lists the prose of a page. Code and the quoted titles of tests are not prose. */
function listProse(file: string): string[] {
  if (file === "docs/proof.md") return [];
  return read(file)
    .replace(/```[\s\S]*?```/g, "")
    .replace(/`[^`\n]*`/g, "")
    .split("\n")
    .filter((line) => !(file === "docs/security/threat-model.md" && /^\| \d+ \| +\| /.test(line)));
}

const parsed = new Map<string, ReturnType<typeof parse>>();
function parseSource(file: string) {
  // In a file without elements, `<` can begin a type assertion, so only files with elements are read as such.
  const plugins = file.endsWith("x") ? (["typescript", "jsx"] as const) : (["typescript"] as const);
  const known =
    parsed.get(file) ?? parse(read(file), { sourceType: "module", plugins: [...plugins], tokens: true });
  parsed.set(file, known);
  return known;
}

function joinLines(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
