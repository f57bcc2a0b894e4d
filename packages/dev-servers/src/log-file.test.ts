import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readLogSince } from "./log-file.ts";

it("reads the log after an offset, and nothing once its folder was deleted", () => {
  const folder = mkdtempSync(join(tmpdir(), "paraph-log-"));
  const file = join(folder, "server.log");
  writeFileSync(file, "first run\nsecond run\n");
  expect(readLogSince(file, "first run\n".length)).toBe("second run\n");
  rmSync(folder, { recursive: true });
  expect(readLogSince(file, 0)).toBe("");
});
