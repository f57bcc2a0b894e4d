import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeRecord } from "@paraph/server/local-record";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { SoftAuthenticator } from "../../../../../test/support/soft-authenticator.ts";
import { runCli } from "../../testing/run-cli.ts";
import { createTestReceipt } from "../../testing/test-receipt.ts";

// Any network access ends the process with a separate exit code.
const offline = `--import=data:text/javascript,${encodeURIComponent(`
  import net from "node:net"; import dns from "node:dns"; import dgram from "node:dgram";
  const stop = () => process.exit(77);
  globalThis.fetch = stop; net.Socket.prototype.connect = stop; dns.lookup = stop; dgram.createSocket = stop;
`)}`;

let folder: string;
let receipt: Awaited<ReturnType<typeof createTestReceipt>>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "paraph-verify-"));
  await chmod(folder, 0o711);
  onTestFinished(() => rm(folder, { recursive: true }));
  receipt = await createTestReceipt();
  await writeFile(join(folder, "keys.json"), JSON.stringify({ keys: [receipt.key] }));
});

async function verify(bundle: unknown, ...args: string[]) {
  await writeFile(join(folder, "receipt.json"), JSON.stringify(bundle));
  return runCli(["verify", "receipt.json", ...args], { folder, nodeOptions: [offline] });
}

it("prints the confirmation, policy and disclosures of a valid receipt, without network access", async () => {
  const { code, stdout } = await verify(receipt.bundle, "--key", "keys.json");
  expect(stdout).toMatch(/verified {2}call_test/);
  expect(stdout).toMatch(/confirmed +by owner, 2026-03-01 09:30:03 UTC/);
  expect(stdout).toMatch(/policy +ask: unattended-writes-need-a-person/);
  expect(stdout).toMatch(/disclosed +input: as signed\n +withheld: output/);
  expect(code).toBe(0);
});

it("states that the agent performed the call and reported the result itself", async () => {
  const own = await createTestReceipt({ performer: "agent" });
  await writeFile(join(folder, "keys.json"), JSON.stringify({ keys: [own.key] }));
  const { stdout } = await verify(own.bundle, "--key", "keys.json");
  expect(stdout).toMatch(/performed by +the agent \(agent\), which reported the result itself/);
  expect(stdout).toContain("the agent claims the call and is about to act");
  expect((await verify(own.bundle, "--key", "keys.json", "--json")).stdout).toContain('"performer":"agent"');
});

it("[TRUST 27] states that a passkey proves the approval, after it checked the assertion offline", async () => {
  const own = await createTestReceipt({ approver: new SoftAuthenticator() });
  await writeFile(join(folder, "keys.json"), JSON.stringify({ keys: [own.key] }));
  const { code, stdout } = await verify(own.bundle, "--key", "keys.json");
  expect(stdout).toMatch(/approved +with passkey by ana, 2026-03-01 09:30:03 UTC/);
  expect(stdout).toContain("ana approves with passkey");
  expect(code).toBe(0);
});

it("[TRUST 31] does not automatically trust the keys in the folder's `.paraph/trusted-keys.json`", async () => {
  await mkdir(join(folder, ".paraph"));
  await writeFile(join(folder, ".paraph/trusted-keys.json"), JSON.stringify({ keys: [receipt.key] }));
  const { code, stdout, stderr } = await verify(receipt.bundle);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(/does not trust `.*trusted-keys\.json` automatically/);
});

it("trusts the keys that this user's own `paraph dev` recorded for the folder or a parent folder", async () => {
  await mkdir(join(folder, ".paraph"));
  const record = { url: "http://127.0.0.1:9", agent: "a", owner: "o", keys: [receipt.key] };
  await writeRecord(join(folder, ".paraph"), { HOME: folder }, record);
  await mkdir(join(folder, "deep/er"), { recursive: true });
  await writeFile(join(folder, "deep/er/receipt.json"), JSON.stringify(receipt.bundle));
  const found = await runCli(["verify", "receipt.json", "--json"], {
    folder: join(folder, "deep/er"),
    environment: { HOME: folder },
    nodeOptions: [offline],
  });
  expect(JSON.parse(found.stdout)).toMatchObject({
    verified: true,
    keyId: receipt.key.kid,
    disclosed: ["input"],
  });
  expect(found.code).toBe(0);
});

it("rejects a receipt with a changed statement or disclosure, or signed with another key", async () => {
  const { bundle } = receipt;
  const statement = JSON.parse(Buffer.from(bundle.envelope.payload, "base64").toString("utf8"));
  statement.predicate.outcome.kind = "failed";
  const payload = Buffer.from(JSON.stringify(statement)).toString("base64");
  const retold = { ...bundle, envelope: { ...bundle.envelope, payload } };
  const shown = { ...bundle, disclosures: { input: { salt: "00ff", value: { path: "other.txt" } } } };
  for (const [tampered, reason] of [
    [retold, "signature does not match"],
    [shown, "the disclosed input does not match the signed input"],
  ] as const) {
    const { code, stdout, stderr } = await verify(tampered, "--key", "keys.json");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain(reason);
    expect(stderr).toContain("not verified");
  }
  await writeFile(join(folder, "keys.json"), JSON.stringify((await createTestReceipt()).key));
  expect((await verify(bundle, "--key", "keys.json", "--json")).stdout).toContain('"verified":false');
});

it("[TRUST 32] warns about an earlier receipt of a revoked key, and rejects a later one", async () => {
  const trust = (revokedAt: unknown) =>
    writeFile(join(folder, "keys.json"), JSON.stringify({ keys: [{ ...receipt.key, revokedAt }] }));
  await trust(Date.parse("2026-03-02T00:00:00Z"));
  const earlier = await verify(receipt.bundle, "--key", "keys.json", "--json");
  expect([earlier.code, JSON.parse(earlier.stdout)]).toMatchObject([
    0,
    { verified: true, warning: expect.stringContaining("a thief of the key can write any time") },
  ]);
  expect(earlier.stderr).toMatch(/revoked\s+from\s+2026-03-02\s+00:00:00 UTC/);
  await trust(Date.parse("2026-03-01T09:30:00Z"));
  const later = await verify(receipt.bundle, "--key", "keys.json");
  expect(later).toMatchObject({ code: 1, stderr: expect.stringContaining("its key is revoked") });
  await trust("soon");
  expect(await verify(receipt.bundle, "--key", "keys.json")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("`revokedAt` that is not a time"),
  });
});

it("a file with other JSON is no receipt, and not a receipt that does not verify", async () => {
  expect(await verify({ name: "shop", version: "1.0.0" }, "--key", "keys.json")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("is not a receipt, because it contains other JSON. Pass a file that"),
  });
});

it("reports missing keys, a missing file, and a file that is not JSON", async () => {
  expect(await verify(receipt.bundle)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--key KEYS.json"),
  });
  const run = (...args: string[]) => runCli(args, { folder });
  expect(await run("verify", "nowhere.json")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("no file"),
  });
  await writeFile(join(folder, "receipt.json"), "{");
  expect(await run("verify", "receipt.json", "--key", "keys.json")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("not JSON"),
  });
});
