import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const root = new URL(".", import.meta.url);
const sources = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
  (file) => file.endsWith(".ts") && !file.endsWith(".test.ts"),
);

/** Patterns that would let core reach external systems by itself, or make it depend on where it runs. */
const forbidden: [string, RegExp][] = [
  ["a Node module", /["']node:/],
  ["the clock", /\bDate\b|\bperformance\b/],
  ["randomness", /Math\.random|getRandomValues|randomUUID/],
  ["the network", /\bfetch\s*\(|\bXMLHttpRequest\b|\bWebSocket\b/],
  ["a real timer", /\bsetTimeout\b|\bsetInterval\b|\bsetImmediate\b/],
  ["the process", /\bprocess\.(env|argv|exit|on|cwd|nextTick)\b|\bBuffer\b/],
  ["a log", /\bconsole\b/],
];

it("finds the sources", () => {
  expect(sources).toContain("pipeline/execution/perform.ts");
  expect(sources.length).toBeGreaterThan(40);
});

it.each(forbidden)("core never uses %s, because callers inject such dependencies", (_name, pattern) => {
  const offenders = sources.filter((file) => pattern.test(code(file)));
  expect(offenders).toEqual([]);
});

it("core imports nothing but itself and its four declared dependencies", () => {
  const from = sources.flatMap((file) =>
    [...code(file).matchAll(/from "([^"]+)"/g)].map(([, name]) => name!),
  );
  const outside = new Set(from.filter((name) => !name.startsWith(".")));
  expect([...outside].sort()).toEqual([
    "@noble/hashes/sha2.js",
    "@noble/hashes/utils.js",
    "canonicalize",
    "re2js",
    "zod",
  ]);
});

it("a relative import never leaves the sources of core", () => {
  const offenders = sources.filter((file) =>
    [...code(file).matchAll(/from "(\.[^"]+)"/g)].some(
      ([, path]) => !new URL(path!, new URL(file, root)).href.startsWith(root.href),
    ),
  );
  expect(offenders).toEqual([]);
});

it("published sources never import from `testing/`", () => {
  const offenders = sources.filter(
    (file) => !file.startsWith("testing/") && /from "[^"]*testing\//.test(code(file)),
  );
  expect(offenders).toEqual([]);
});

it("no source file has more than 300 lines without its comments", () => {
  const long = sources.filter((file) => code(file).split("\n").length > 300);
  expect(long).toEqual([]);
});

/** Returns a source without its comments, because comments may name things that the code must not use. */
function code(file: string): string {
  const text = readFileSync(new URL(file, root), "utf8");
  return text
    .replaceAll(/^ *\/\*[\s\S]*?\*\/\n/gm, "")
    .replaceAll(/\/\*[\s\S]*?\*\//g, "")
    .replaceAll(/(^|\s)\/\/.*$/gm, "");
}
