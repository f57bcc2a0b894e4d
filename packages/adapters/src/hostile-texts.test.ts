import { expect, it } from "vitest";
import { previewPatch } from "./coding-agent/patch-preview.ts";
import { identInput } from "./git/commits/ident.ts";
import { isParaphFolder } from "./paraph-folder.ts";

const long = 300_000;

it.each<[string, () => unknown]>([
  ["the name of an author", () => identInput.safeParse({ name: `${"a".repeat(long)}\u0001`, email: "a@b" })],
  ["the address of an author", () => identInput.safeParse({ name: "a", email: `${"a".repeat(long)} ` })],
  ["a line before a patch", () => previewPatch(`${" ".repeat(long)}x\n*** Add File: a\n+1`)],
  ["the path in a patch", () => previewPatch(`*** Add File: a${" ".repeat(long)}b\n+1`)],
  ["the name of a file", () => isParaphFolder(`${".".repeat(long)}a`)],
])("[TRUST 24] reading %s of an agent takes less than 1 s of CPU time", (_what, read) => {
  const from = process.cpuUsage();
  read();
  const { user, system } = process.cpuUsage(from);
  expect((user + system) / 1_000).toBeLessThan(1_000);
});
