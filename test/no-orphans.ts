// Fails every test file that leaves a process behind.
import { readdirSync, readFileSync } from "node:fs";
import { afterAll, expect, vi } from "vitest";

const childrenBefore = new Set(listChildren());

/** The time in which a process that was told to end must end. A busy machine may need seconds for a `kill`. */
const endingMs = 20_000;

afterAll(() =>
  vi.waitFor(
    () =>
      expect(
        listChildren().filter((child) => !childrenBefore.has(child)),
        "processes left behind",
      ).toEqual([]),
    { timeout: endingMs, interval: 50 },
  ),
);

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
