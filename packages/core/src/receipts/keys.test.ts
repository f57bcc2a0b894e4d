import { describe, expect, it } from "vitest";
import { createTestSigner } from "../testing/test-signer.ts";
import { utf8 } from "./bytes.ts";
import { findRevocation, isSignatureValid, parsePublicKeys } from "./keys.ts";

const signer = await createTestSigner();
const { kty, crv, x, kid } = signer.publicKey;
const key = { kty, crv, x };

describe("public keys from a text", () => {
  it.each<[string, unknown]>([
    ["one key", key],
    ["a key set", { keys: [key] }],
    ["a list of keys", [key]],
    ["a key among others", [{ kty: "RSA", n: "AQAB" }, null, "text", { ...key, x: "short" }, key]],
    ["a key with the name of another", { ...key, kid: "another" }],
  ])("%s: the name of a key always comes from the key", (_what, value) => {
    expect(parsePublicKeys(JSON.stringify(value))).toEqual({ kind: "keys", keys: [{ ...key, kid }] });
  });

  it("keep the time of a revocation", () => {
    expect(parsePublicKeys(JSON.stringify([{ ...key, revokedAt: 1_000 }]))).toEqual({
      kind: "keys",
      keys: [{ ...key, kid, revokedAt: 1_000 }],
    });
  });

  it.each<[string, string, string]>([
    ["no JSON", "-----BEGIN PUBLIC KEY-----", "is not JSON"],
    ["no list", '{"keys":{}}', "contains no list of keys"],
    ["nothing", "null", "contains no usable key"],
    ["no key of this kind", '[{"kty":"RSA"}]', "contains no usable key"],
    ["a time that is none", JSON.stringify({ ...key, revokedAt: "soon" }), "`revokedAt` that is not a time"],
  ])("that hold %s say why they cannot be used", (_what, text, reason) => {
    expect(parsePublicKeys(text)).toEqual({ kind: "invalid", reason: expect.stringContaining(reason) });
  });
});

it("[TRUST 32] the earliest revocation of a key counts, and an unreadable one is before every time", () => {
  const listed = [1_000, 500].map((revokedAt) => ({ ...signer.publicKey, revokedAt }));
  expect(findRevocation(kid, listed)).toBe(500);
  expect(findRevocation(kid, [...listed, { ...signer.publicKey, revokedAt: Number.NaN }])).toBeNaN();
  expect(findRevocation(kid, [signer.publicKey])).toBeUndefined();
  expect(findRevocation("another", listed)).toBeUndefined();
});

it("a signature counts only for a key under its own name", async () => {
  const bytes = utf8("text");
  const signature = new Uint8Array(await signer.sign(bytes));
  expect(await isSignatureValid(signer.publicKey, signature, bytes)).toBe(true);
  expect(await isSignatureValid(signer.publicKey, signature, utf8("other"))).toBe(false);
  expect(await isSignatureValid({ ...signer.publicKey, kid: "another" }, signature, bytes)).toBe(false);
});
