import { describe, expect, it } from "vitest";
import { createSampleReceipt } from "../testing/receipt-samples.ts";
import { createTestSigner } from "../testing/test-signer.ts";
import { type ArchivedCall, signManifest, verifyArchivedCall, verifyManifest } from "./archive.ts";
import { fromBase64, text } from "./bytes.ts";
import { sha256Hex } from "./digest.ts";
import { envelopeText, signEnvelope } from "./dsse.ts";

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

describe("[TRUST 20] a manifest verifies only", async () => {
  const signer = await createTestSigner();
  const envelope = await signManifest(manifest, { name: "a.jsonl.gz", sha256: "00" }, signer);
  const [signature] = envelope.signatures;

  it("with a key that its reader trusts", async () => {
    expect(await verifyManifest(envelope, [signer.publicKey])).toEqual({
      manifest,
      file: { name: "a.jsonl.gz", sha256: "00" },
      keyId: signer.keyId,
    });
    const other = await createTestSigner();
    await expect(verifyManifest(envelope, [other.publicKey])).rejects.toThrow("no trusted key has signed");
    for (const signatures of [[], undefined])
      await expect(verifyManifest({ ...envelope, signatures } as never, [signer.publicKey])).rejects.toThrow(
        "no trusted key has signed",
      );
  });

  it("unchanged", async () => {
    const changed = await signManifest({ ...manifest, events: 9 }, { name: "a", sha256: "00" }, signer);
    const mixed = { ...changed, signatures: [signature!] };
    await expect(verifyManifest(mixed, [signer.publicKey])).rejects.toThrow(
      "because the manifest was changed",
    );
  });

  it("as a manifest, and not as another statement of the same signer", async () => {
    const { envelope: receipt } = await createSampleReceipt(signer);
    const statement = text(fromBase64(envelope.payload));
    for (const other of [receipt, await signEnvelope("text/plain", statement, signer)])
      await expect(verifyManifest(other, [signer.publicKey])).rejects.toThrow("a statement of another type");
  });
});

describe("[TRUST 20] an archived call verifies only", async () => {
  const signer = await createTestSigner();
  const { envelope, disclosures } = await createSampleReceipt(signer);
  const { events } = JSON.parse(text(fromBase64(envelope.payload))).predicate;
  const written = envelopeText(envelope);
  const digest = sha256Hex(written);
  const archived: ArchivedCall = {
    call: "call_1",
    family: "call_1",
    epoch: 0,
    event: events,
    payload: Object.entries(disclosures).map(([name, { salt, value }]) => ({
      ...{ name, salt },
      body: JSON.stringify(value),
    })),
    receipt: { digest, envelope: written },
    message: [],
  };
  const context = { tenant: "acme", trusted: [signer.publicKey] };
  const listed = { call: "call_1", receipt: digest };
  const verify = (change: Partial<ArchivedCall> = {}, expected: typeof listed | undefined = listed) =>
    verifyArchivedCall({ ...archived, ...change }, expected, context);

  it("as it was, also without its payloads and with later events", async () => {
    await verify();
    await verify({ payload: [] });
    await verify({ payload: [{ name: "resolution", salt: "00", body: "1" }] });
    await verify({ event: [...events, { seq: 9, kind: "resolved", at: 9_000, data: {} }] });
  });

  it("at its place of the manifest", async () => {
    await expect(verify({}, { ...listed, call: "call_2" })).rejects.toThrow("does not list `call_1`");
    await expect(verifyArchivedCall(archived, undefined, context)).rejects.toThrow("does not list `call_1`");
  });

  it("with the receipt that the manifest names", async () => {
    await expect(verify({}, { ...listed, receipt: "00" })).rejects.toThrow("has another receipt");
    const changed = { digest, envelope: `${written} ` };
    await expect(verify({ receipt: changed })).rejects.toThrow("has another receipt");
  });

  it("with its own receipt", async () => {
    const moved = { ...archived, call: "call_2" };
    await expect(verifyArchivedCall(moved, { ...listed, call: "call_2" }, context)).rejects.toThrow(
      "the call `call_2` has the receipt of another call",
    );
    await expect(verifyArchivedCall(archived, listed, { ...context, tenant: "other" })).rejects.toThrow(
      "has the receipt of another call",
    );
  });

  it("with the events and payloads of its receipt", async () => {
    const [first, ...rest] = events;
    await expect(verify({ event: rest })).rejects.toThrow("has other events than its receipt");
    await expect(verify({ event: [{ ...first, at: 1 }, ...rest] })).rejects.toThrow("has other events");
    const [input, output] = archived.payload;
    const payload = [{ ...input!, body: '{"to":"eve","cents":5}' }, output!];
    await expect(verify({ payload })).rejects.toThrow("has another input than its receipt commits to");
  });
});
