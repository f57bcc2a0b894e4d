// A test file that leaves a process behind fails.
import { readdirSync, readFileSync } from "node:fs";
import { afterAll, expect } from "vitest";

const before = new Set(children());

afterAll(() => {
  expect(
    children().filter((child) => !before.has(child)),
    "processes left behind",
  ).toEqual([]);
});

function children(): string[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc").filter(
    (entry) => /^\d+$/.test(entry) && parentOf(entry) === process.pid && !isZombie(entry),
  );
}

function parentOf(pid: string): number {
  return Number(statusLine(pid, "PPid"));
}

function isZombie(pid: string): boolean {
  return statusLine(pid, "State").startsWith("Z");
}

function statusLine(pid: string, name: string): string {
  try {
    return new RegExp(`^${name}:\\s*(.*)$`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? "";
  } catch {
    return "";
  }
}
