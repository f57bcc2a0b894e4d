import { lchownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { findParaphFolder } from "./paraph-folder.ts";

it("follows an own link to `.paraph`, but not another user's", () => {
  const root = mkdtempSync(join(tmpdir(), "paraph-folder-"));
  const [folder, link] = [join(root, "project"), join(root, "project/.paraph")];
  mkdirSync(folder);
  mkdirSync(join(root, "data"));
  symlinkSync(join(root, "data"), link);
  expect(findParaphFolder(folder)).toBe(link);
  // Only root can give a link to another user.
  if (process.getuid?.() === 0) {
    lchownSync(link, 12_345, 12_345);
    expect(findParaphFolder(folder)).not.toBe(link);
  }
  rmSync(root, { recursive: true });
});
