import { describe, expect, it } from "vitest";
import type { RecordedEvent } from "../event.ts";
import { canonical } from "./digest.ts";
import { envelopeText, signEnvelope } from "./dsse.ts";
import {
  type ReceiptPredicate,
  rebuildReceipt,
  receiptType,
  statementText,
  statementType,
} from "./receipt.ts";

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

describe("a stored receipt", () => {
  // The digest was computed by a program in another language. Another value means that Paraph can no longer read the
  // receipts that are stored.
  const stored = {
    digest: "50d426d6328be3db5f41e2a1a1c4f32464b197ff2acc6020375d05ec87b6c40b",
    story: canonical({ ...story, events: undefined } as never),
    signature: { keyid: "k", sig: "AA==" },
  };
  const events: readonly RecordedEvent[] = [
    { seq: 1, kind: "accepted", at: 1, data: { z: 1, a: [true, null, "é"], small: 1e-7, large: 1e21 } },
    { seq: 2, kind: "closed", at: 2.5, data: { outcome: "succeeded" } },
  ];

  it("gets its events back in the frozen format, without those after the closing event", () => {
    const later: RecordedEvent = { seq: 3, kind: "resolved", at: 3, data: {} };
    const { payload, signatures } = rebuildReceipt(stored, [...events, later]);
    expect(signatures).toEqual([stored.signature]);
    expect(JSON.parse(atob(payload)).predicate.events).toHaveLength(2);
  });

  it.each<[string, readonly RecordedEvent[]]>([
    ["a missing event", events.slice(1)],
    ["a changed event", [events[0]!, { ...events[1]!, data: { outcome: "failed" } }]],
    ["events in another order", events.toReversed()],
    ["no events", []],
  ])("is refused with %s", (_, altered) => {
    expect(() => rebuildReceipt(stored, altered)).toThrow(
      expect.objectContaining({ code: "receipt-altered" }),
    );
  });
});
