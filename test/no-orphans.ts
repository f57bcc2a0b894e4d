// Fails every test file that leaves a process behind.
import { readdirSync, readFileSync } from "node:fs";
import { afterAll, expect } from "vitest";

const childrenBefore = new Set(listChildren());

afterAll(() => {
  expect(
    listChildren().filter((child) => !childrenBefore.has(child)),
    "processes left behind",
  ).toEqual([]);
});

function listChildren(): string[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc").filter(
    (entry) => /^\d+$/.test(entry) && readParent(entry) === process.pid && !isZombie(entry),
  );
}

function readParent(pid: string): number {
  return Number(readStatusLine(pid, "PPid"));
}

function isZombie(pid: string): boolean {
  return readStatusLine(pid, "State").startsWith("Z");
}

function readStatusLine(pid: string, name: string): string {
  try {
    return new RegExp(`^${name}:\\s*(.*)$`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? "";
  } catch {
    return "";
  }
}
