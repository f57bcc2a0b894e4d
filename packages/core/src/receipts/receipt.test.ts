import { describe, expect, it } from "vitest";
import { canonical } from "./digest.ts";
import { envelopeText, signEnvelope } from "./dsse.ts";
import { type ReceiptPredicate, receiptType, statementText, statementType } from "./receipt.ts";

const story: ReceiptPredicate = {
  tenant: "acme",
  call: "call_1",
  capability: "files.write",
  version: 1,
  contractDigest: "c0",
  principal: { id: 'ägent "quoted" \u0000', kind: "agent" },
  outcome: { kind: "succeeded", code: "done" },
  attempts: 1,
  durationMs: 3,
  commitments: { input: "aa" },
  events: [{ seq: 1, kind: "accepted", at: 1, data: { z: 1, a: [true, null, "é"] } }],
};

describe("hand-assembled receipt texts", () => {
  it("the statement is in canonical form (RFC 8785)", () => {
    const text = statementText(story);
    const parsed = JSON.parse(text);
    expect(text).toBe(canonical(parsed));
    expect(parsed).toMatchObject({
      _type: statementType,
      predicateType: receiptType,
      predicate: story,
      subject: [{ name: "call_1" }],
    });
  });

  it.each(["plain ASCII", "not só plain: 漢字 🙂"])(
    "the envelope around %s is in canonical form (RFC 8785)",
    async (payload) => {
      const signer = { keyId: "k-_1", sign: async () => new Uint8Array([1, 2, 255]) };
      const envelope = await signEnvelope("application/test+json", payload, signer);
      expect(envelopeText(envelope)).toBe(canonical(envelope as never));
      expect(new TextDecoder().decode(Uint8Array.from(atob(envelope.payload), (c) => c.charCodeAt(0)))).toBe(
        payload,
      );
    },
  );
});
