import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { openSigner } from "./signing-key.ts";

let folder: string;
let file: string;
let earlier: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "paraph-signing-key-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  file = join(folder, "signing.pem");
  earlier = join(folder, "previous/old.pem");
  openSigner({}, { signingKey: file, createSigningKey: true });
  mkdirSync(join(folder, "previous"));
  cpSync(file, earlier);
});

it("`--create-signing-key` creates a key that only its user can read, and a later start opens it", () => {
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const { keyId } = openSigner({}, { signingKey: file });
  expect(openSigner({ STATE_DIRECTORY: folder }, {}).keyId).toBe(keyId);
  chmodSync(file, 0o400);
  expect(openSigner({ PARAPH_SIGNING_KEY: file }, {}).keyId).toBe(keyId);
});

it.each([
  ["the signing key, readable by its group", () => file, 0o640],
  ["the signing key, readable by all users", () => file, 0o604],
  ["an earlier key, readable by all users", () => earlier, 0o644],
])("[TRUST 32] refuses %s, and says how to make it private", (_, find, mode) => {
  chmodSync(find(), mode);
  expect(() => openSigner({}, { signingKey: file })).toThrow(
    expect.objectContaining({
      code: "signing-key-exposed",
      message: expect.stringMatching(
        new RegExp(`It has mode ${mode.toString(8)}\\. .* \`chmod 600 ${find()}\``),
      ),
    }),
  );
});

it.runIf(process.getuid?.() === 0)("[TRUST 32] refuses a signing key of another user", () => {
  chownSync(file, 1, 1);
  expect(() => openSigner({}, { signingKey: file })).toThrow(
    `belongs to user 1 with mode 600, and this process runs as user 0. With the key, they can forge receipts and approvals. Make it private with \`chown 0 ${file} && chmod 600 ${file}\`.`,
  );
});
