import { expect, it } from "vitest";
import { createTestSigner } from "../testing/test-signer.ts";
import { signManifest, verifyManifest } from "./archive.ts";

const createdAt = 1_000;
const manifest = { tenant: "acme", month: "2026-03", createdAt, payloads: true, events: 0, calls: [] };

it("a manifest that is not base64 does not verify", async () => {
  const signer = await createTestSigner();
  const envelope = await signManifest(manifest, { name: "a.jsonl.gz", sha256: "00" }, signer);
  for (const payload of ["%", `${envelope.payload}\n`])
    await expect(verifyManifest({ ...envelope, payload }, [signer.publicKey])).rejects.toThrow(
      "not valid base64",
    );
});

it("[TRUST 32] the manifest of a revoked key counts only if it claims to be from before the revocation", async () => {
  const signer = await createTestSigner();
  const envelope = await signManifest(manifest, { name: "a.jsonl.gz", sha256: "00" }, signer);
  const verify = (revokedAt: number) => verifyManifest(envelope, [{ ...signer.publicKey, revokedAt }]);
  expect(await verify(createdAt + 1)).toMatchObject({ manifest, keyRevokedAt: createdAt + 1 });
  for (const revokedAt of [createdAt, createdAt - 1, Number.NaN])
    await expect(verify(revokedAt)).rejects.toThrow("its key is revoked");
  expect(await verifyManifest(envelope, [signer.publicKey])).not.toHaveProperty("keyRevokedAt");
});
