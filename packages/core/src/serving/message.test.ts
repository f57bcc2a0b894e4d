import { expect, it } from "vitest";
import { base64 } from "../receipts/bytes.ts";
import { createTestSigner } from "../testing/test-signer.ts";
import { isPlainJson, openMessage, sealMessage } from "./message.ts";
import { parsePublicKey, parseSigningKey } from "./signing-key.ts";

const [ours, others] = [await createTestSigner(), await createTestSigner()];
type KeyPair = Record<"privateKey", Parameters<typeof crypto.subtle.exportKey>[1]>;
const payload = { operation: "apply", input: { text: "ünïcode ✓" } };
const sealed = await sealMessage("request", payload, ours);

it("a sealed message opens with its key, and sender and receiver get the same digest", async () => {
  const opened = await openMessage("request", sealed.text, [others.publicKey, ours.publicKey]);
  expect(opened).toEqual({ payload, digest: sealed.digest });
});

it("[P11] a message does not open with another key or kind, or after a signed byte changes", async () => {
  expect(await openMessage("request", sealed.text, [others.publicKey])).toBeUndefined();
  expect(await openMessage("answer", sealed.text, [ours.publicKey])).toBeUndefined();
  const forged = { ...others.publicKey, kid: ours.publicKey.kid };
  expect(await openMessage("request", sealed.text, [forged])).toBeUndefined();
  const changed = [...sealed.text].map((char, at) => {
    const other = char === "A" ? "B" : "A";
    return sealed.text.slice(0, at) + other + sealed.text.slice(at + 1);
  });
  const opened = await Promise.all(changed.map((text) => openMessage("request", text, [ours.publicKey])));
  // The last character of a signature has unused bits, so a changed message may still open. It must then contain
  // exactly the signed payload.
  for (const each of opened) if (each) expect(each).toEqual({ payload, digest: sealed.digest });
  expect(opened.filter(Boolean).length).toBeLessThan(3);
});

it.each([
  "",
  "null",
  "[]",
  "{}",
  '{"signatures":[]}',
  '{"signatures":[{}],"payload":7}',
  "[".repeat(100_000),
])("[P11] %.20s does not open, and `openMessage` does not throw", async (text) => {
  expect(await openMessage("request", text, [ours.publicKey])).toBeUndefined();
});

it("[TRUST 24] plain JSON excludes depth over 64, lone surrogates, infinite numbers and `__proto__` keys", () => {
  const nested = (depth: number) => JSON.parse(`${"[".repeat(depth)}${"]".repeat(depth)}`);
  expect(isPlainJson(nested(64))).toBe(true);
  expect(isPlainJson(nested(65))).toBe(false);
  expect(isPlainJson(JSON.parse('{"a":"\\ud800"}'))).toBe(false);
  expect(isPlainJson(JSON.parse('{"\\ud800":1}'))).toBe(false);
  expect(isPlainJson(JSON.parse('{"a":1e999}'))).toBe(false);
  expect(isPlainJson(JSON.parse('{"a":{"__proto__":{}}}'))).toBe(false);
});

it("a signing key from a file signs for the public key that belongs to it", async () => {
  const { privateKey } = (await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"])) as KeyPair;
  const der = new Uint8Array(await crypto.subtle.exportKey("pkcs8", privateKey));
  const pem = `-----BEGIN PRIVATE KEY-----\n${base64(der)}\n-----END PRIVATE KEY-----\n`;
  for (const written of [pem, base64(der)]) {
    const key = await parseSigningKey(written);
    expect(key?.keyId).toBe(key?.publicKey.kid);
    const { text, digest } = await sealMessage("answer", payload, key!);
    expect(await openMessage("answer", text, [key!.publicKey])).toEqual({ payload, digest });
  }
});

it("[P11] a signed message that is no plain JSON does not open", async () => {
  const odd = await sealMessage("request", { deep: JSON.parse(`${"[".repeat(70)}${"]".repeat(70)}`) }, ours);
  expect(await openMessage("request", odd.text, [ours.publicKey])).toBeUndefined();
});

it("does not parse an invalid signing key or public key", async () => {
  expect(await parseSigningKey("nonsense")).toBeUndefined();
  expect(await parseSigningKey("")).toBeUndefined();
  expect(parsePublicKey("nonsense")).toBeUndefined();
  expect(parsePublicKey(`${"A".repeat(42)}B`)).toBeUndefined();
  expect(parsePublicKey(ours.publicKey.x)).toEqual(ours.publicKey);
});
