import { Readable } from "node:stream";
import { expect, it } from "vitest";
import { splitLines } from "./split-lines.ts";

async function split(...parts: string[]): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of splitLines(Readable.from(parts))) lines.push(line);
  return lines;
}

it("a line ends at \\n only, so that a payload with another line separator stays one line", async () => {
  const lines = ['{"a":"one\u2028two"}', '{"b":"\u2029\u0085\r"}', ""];
  expect(await split(`${lines.join("\n")}\n`)).toEqual(lines);
});

it("a line may arrive in several parts, and the last one without an end", async () => {
  expect(await split("on", "e", "\ntw", "o\n\nthr", "ee")).toEqual(["one", "two", "", "three"]);
});
