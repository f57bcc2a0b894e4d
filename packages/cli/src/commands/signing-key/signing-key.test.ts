import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFileSigner } from "@paraph/server/signing-keys";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import type { Context } from "../../lib/context.ts";
import { captureOutput } from "../../testing/captured-output.ts";
import { listSigningKeys, prepareKey, revokeKey, rotateKey } from "./signing-key.ts";

let file: string;
let first: string;

beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), "paraph-signing-key-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  file = join(folder, "signing.pem");
  first = createFileSigner(file).keyId;
});

async function run(command: (context: Context) => Promise<number>, more: Partial<Context> = {}) {
  const { output, written } = captureOutput();
  const context = { output, environment: { PARAPH_SIGNING_KEY: file }, json: false, ...more } as Context;
  expect(await command(context)).toBe(0);
  return written;
}

it("prepares and rotates a key, and says in which order the hosts get it", async () => {
  await expect(run((context) => rotateKey(context, {}))).rejects.toMatchObject({ code: "no-next-key" });
  const prepared = await run((context) => prepareKey(context, {}));
  expect(prepared.stderr).toMatch(/keep this order:\n {2}1\. Copy .*next to every host/);
  const { kid } = JSON.parse((await run((context) => prepareKey(context, {}), { json: true })).stdout);
  expect(createFileSigner(file).keyId).toBe(first);
  const rotated = await run((context) => rotateKey(context, {}), { json: true });
  expect(JSON.parse(rotated.stdout)).toEqual({ current: kid, previous: first });
  expect(createFileSigner(file).keyId).toBe(kid);
});

it("revokes an earlier key only after a confirmation, and lists it as revoked, without private keys", async () => {
  const rotated = await run((context) => rotateKey(context, { singleHost: true }));
  expect(rotated.stderr).toContain(`paraph signing-key retire ${first}`);
  const revoke = (more: Partial<Context>, yes?: boolean) =>
    run((context) => revokeKey(context, first, { since: "2026-03-01", ...(yes && { yes }) }), more);
  await expect(revoke({})).rejects.toMatchObject({
    code: "usage",
    message: expect.stringContaining("--yes"),
  });
  await expect(revoke({ question: async () => "" })).rejects.toMatchObject({ code: "not-confirmed" });
  expect(JSON.parse((await revoke({ json: true }, true)).stdout)).toEqual({
    kid: first,
    state: "revoked",
    revokedAt: Date.parse("2026-03-01"),
  });
  const { stdout } = await run((context) => listSigningKeys(context, {}));
  expect(stdout).toMatch(/current +\S+signing\.pem/);
  expect(stdout).toMatch(new RegExp(`${first} +revoked from 2026-03-01 00:00:00 UTC`));
  expect(stdout).not.toContain("PRIVATE");
});
