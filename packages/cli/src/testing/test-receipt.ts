import type { Event, Json, PublicKey, ReceiptBundle, RecordedEvent } from "@paraph/core";
import { commitment, passkeyChallenge } from "@paraph/core";
import type { SoftAuthenticator } from "../../../../test/support/soft-authenticator.ts";
import { issueReceipt, rebuildReceipt } from "../../../core/src/receipts/receipt.ts";
import { createTestSigner } from "../../../core/src/testing/test-signer.ts";

/** Creates a signed receipt and the key that verifies it. */
export async function createTestReceipt(
  about: { readonly performer?: "agent"; readonly approver?: SoftAuthenticator } = {},
): Promise<{ bundle: ReceiptBundle; key: PublicKey }> {
  const signer = await createTestSigner();
  const at = Date.parse("2026-03-01T09:30:00Z");
  const input = { salt: "00ff", value: { path: "hello.txt", content: "Hello" } as Json };
  const digest = "d".repeat(64);
  const { performer, approver } = about;
  const subject = { tenant: "local", call: "call_test", round: 1, digest, by: "ana" };
  const vote = approver
    ? { by: "ana", as: "approver", proof: approver.prove(passkeyChallenge(subject)) as unknown as Json }
    : { by: "owner", as: "confirmation" };
  const facts: Omit<RecordedEvent, "seq" | "at">[] = [
    {
      kind: "accepted",
      data: {
        capability: "files.write",
        version: 1,
        principal: "agent",
        input: commitment(input.salt, input.value),
      },
    },
    { kind: "ruled", data: { ruling: "ask", policies: ["unattended-writes-need-a-person"], version: "v" } },
    {
      kind: "asked",
      data: {
        round: 1,
        digest,
        expiresAt: at + 60_000,
        guards: [
          {
            id: "unattended-writes-need-a-person",
            ruling: "ask",
            quorum: 1,
            ...(approver && { proof: "passkey" }),
          },
        ],
      },
    },
    { kind: "voted", data: { round: 1, decision: "approve", digest, ...vote } },
    { kind: "round-closed", data: { round: 1, status: "approved", digest } },
    {
      kind: "intended",
      data: {
        attempt: 1,
        deadline: at + 30_000,
        policies: ["changes-are-permitted"],
        version: "v",
        ...(performer && { performer }),
      },
    },
    { kind: "attempted", data: { attempt: 1, as: "succeeded", code: "done" } },
    { kind: "closed", data: { outcome: "succeeded", code: "done" } },
  ];
  const events = facts.map((fact, index) => ({ ...fact, seq: index + 1, at: at + index * 1_000 }));
  const receipt = await issueReceipt(
    {
      tenant: "local",
      call: "call_test",
      capability: "files.write",
      version: 1,
      contractDigest: "c".repeat(64),
      principal: { tenant: "local", id: "agent", kind: "agent", owner: "owner" },
    },
    {
      outcome: { kind: "succeeded", code: "done" },
      attempts: 1,
      durationMs: 12,
      events: events as unknown as Event[],
      payloads: { input, output: { salt: "11ee", value: { bytes: 5 } } },
    },
    signer,
  );
  const envelope = rebuildReceipt(receipt, events);
  return {
    bundle: { mediaType: "application/vnd.paraph.receipt.v1+json", envelope, disclosures: { input } },
    key: signer.publicKey,
  };
}
