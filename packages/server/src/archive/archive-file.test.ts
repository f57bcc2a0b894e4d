import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { signManifest } from "@paraph/core";
import { createTestSigner } from "@paraph/core/testing";
import { expect, it } from "vitest";
import { readArchive, writeArchive, writeManifest } from "./archive-file.ts";

it("[TRUST 24] a file that differs from its manifest is rejected before it is unpacked", async () => {
  const folder = await mkdtemp(join(tmpdir(), "paraph-archive-"));
  const signer = await createTestSigner();
  const path = join(folder, "a.jsonl.gz");
  const file = await writeArchive(path, Readable.from([]));
  const manifest = { tenant: "acme", month: "2026-03", createdAt: 0, payloads: true, events: 0, calls: [] };
  await writeManifest(path, await signManifest(manifest, file, signer));
  await expect(readArchive(path, [signer.publicKey])).resolves.toMatchObject({ manifest });
  // Unpacking these bytes would fail with another error.
  await writeFile(path, "not compressed");
  await expect(readArchive(path, [signer.publicKey])).rejects.toThrow("is not what the manifest describes");
  await rm(path);
  await expect(readArchive(path, [signer.publicKey])).rejects.toThrow("cannot be read (ENOENT)");
  await rm(folder, { recursive: true });
});
