import { expect, it } from "vitest";
import { resolvePatchedPaths, resolveReadPath } from "./tool-paths.ts";

const long = 300_000;

it.each<[string, () => unknown]>([
  ["a pattern of brackets", () => resolveReadPath("Glob", { pattern: `${"[".repeat(long)}a` }, "/project")],
  ["a patch of empty lines", () => resolvePatchedPaths(`${"\n".repeat(long)}x`, "/project")],
  ["a path with spaces", () => resolvePatchedPaths(`x\n*** Add File: a${" ".repeat(2_000)}b`, "/project")],
])(
  "[TRUST 24] %s of an agent takes less than 1 s of CPU time, because clients give up on a slow hook",
  (_what, read) => {
    const from = process.cpuUsage();
    read();
    const { user, system } = process.cpuUsage(from);
    expect((user + system) / 1_000).toBeLessThan(1_000);
  },
);
