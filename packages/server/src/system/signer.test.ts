import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createFileSigner } from "./signer.ts";

it("a key that cannot be created is reported with its file, the reason and the remedy", () => {
  const folder = mkdtempSync(join(tmpdir(), "paraph-signer-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "file"), "");
  const key = join(folder, "file/signing.pem");
  expect(() => createFileSigner(key)).toThrow(
    `The signing key \`${key}\` cannot be read or created (ENOTDIR). Create its folder`,
  );
});
