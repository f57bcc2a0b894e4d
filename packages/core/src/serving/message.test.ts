import { expect, it } from "vitest";
import { createTestSigner } from "../testing/test-signer.ts";
import { isPlainJson, openMessage, sealMessage } from "./message.ts";
import { parsePublicKey, parseSigningKey } from "./signing-key.ts";

const [ours, others] = [await createTestSigner(), await createTestSigner()];
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

it("does not parse an invalid signing key or public key", async () => {
  expect(await parseSigningKey("nonsense")).toBeUndefined();
  expect(await parseSigningKey("")).toBeUndefined();
  expect(parsePublicKey("nonsense")).toBeUndefined();
  expect(parsePublicKey(`${"A".repeat(42)}B`)).toBeUndefined();
  expect(parsePublicKey(ours.publicKey.x)).toEqual(ours.publicKey);
});
