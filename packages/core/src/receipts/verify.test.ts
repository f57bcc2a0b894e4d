import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Event, RecordedEvent } from "../event.ts";
import type { Outcome } from "../outcome.ts";
import { createTestSigner } from "../testing/test-signer.ts";
import { base64, fromBase64 } from "./bytes.ts";
import { signEnvelope } from "./dsse.ts";
import { issueReceipt, type ReceiptBundle, receiptMediaType, statementText } from "./receipt.ts";
import { verifyReceipt } from "./verify.ts";

const signer = await createTestSigner();
const payloads = {
  input: { salt: "00112233445566778899aabbccddeeff", value: { to: "ana", cents: 5 } },
  output: { salt: "ffeeddccbbaa99887766554433221100", value: { refund: "r1" } },
};

type Told = Pick<RecordedEvent, "kind"> & { data?: RecordedEvent["data"] };
const digest = "d".repeat(64);
const guard = { id: "two", ruling: "ask", quorum: 2 };
const askedRound = (round: number): Told => ({ kind: "asked", data: { round, digest, guards: [guard] } });
const asked = askedRound(1);
const voted = (by: string, more: RecordedEvent["data"] = {}): Told => ({
  kind: "voted",
  data: { round: 1, by, decision: "approve", as: "approver", digest, ...more },
});
const votes = [voted("ana"), voted("bo")];
const closedRound = (status: string, round = 1): Told => ({
  kind: "round-closed",
  data: { round, status, digest },
});
const ruled = (ruling: string): Told => ({ kind: "ruled", data: { ruling } });
const intended: Told = { kind: "intended", data: { attempt: 1 } };
const attempted = (as: string): Told => ({ kind: "attempted", data: { attempt: 1, as } });
const closed = (outcome: string): Told => ({ kind: "closed", data: { outcome } });
const done: readonly Told[] = [{ kind: "accepted" }, intended, attempted("succeeded"), closed("succeeded")];

async function receipt(told = done, kind: Outcome["kind"] = "succeeded"): Promise<ReceiptBundle> {
  const call = {
    tenant: "acme",
    call: "call_1",
    capability: "billing.refund",
    version: 1,
    contractDigest: "c0ffee",
    principal: { tenant: "acme", id: "agent", kind: "agent", owner: "owner" },
  } as const;
  const events = told.map(({ kind, data }, index) => ({
    seq: index + 1,
    kind,
    at: 1_000 + index,
    data: data ?? {},
  }));
  const story = {
    outcome: { kind, code: "done" },
    attempts: 1,
    durationMs: 5,
    events: events as unknown as Event[],
    payloads,
  };
  const { envelope } = await issueReceipt(call, story, signer);
  return { mediaType: "application/vnd.paraph.receipt.v1+json", envelope, disclosures: payloads };
}

/** Returns the events of an approved call, with these events between the question and the intent. */
const approvedBy = (...between: readonly Told[]): readonly Told[] => [
  ...[{ kind: "accepted" } as const, ruled("ask"), asked, ...between],
  ...done.slice(1),
];

const bundle = await receipt();
const verify = (changed: unknown, keys = [signer.publicKey]) => verifyReceipt(changed, keys);
const refused = (changed: unknown) => expect(verify(changed)).rejects.toThrow();
const withPayload = (payload: string) => ({ ...bundle, envelope: { ...bundle.envelope, payload } });
const withSignature = (sig: string, keyid = signer.keyId) => ({
  ...bundle,
  envelope: { ...bundle.envelope, signatures: [{ keyid, sig }] },
});
const signature = bundle.envelope.signatures[0]!.sig;

describe("a receipt can be verified with only a public key", () => {
  it("[P2] verification returns the call, its outcome, all events and the names of disclosed payloads", async () => {
    const { story, keyId, disclosed } = await verify(bundle);
    expect([story.call, story.outcome.kind, story.events.length, keyId]).toEqual([
      "call_1",
      "succeeded",
      4,
      signer.keyId,
    ]);
    expect(disclosed).toEqual(["input", "output"]);
    expect((await verify({ ...bundle, disclosures: {} })).disclosed).toEqual([]);
  });

  it("names the agent as performer, and is refused if its events do not match", async () => {
    const taken: Told = { kind: "intended", data: { attempt: 1, performer: "agent" } };
    const told = [{ kind: "accepted" }, taken, attempted("succeeded"), closed("succeeded")] as const;
    expect((await verify(await receipt(told))).story.performer).toBe("agent");
    const { story } = await verify(bundle);
    expect(story).not.toHaveProperty("performer");
    const claimed = await signEnvelope(
      receiptMediaType,
      statementText({ ...story, performer: "agent" }),
      signer,
    );
    await expect(verify({ ...bundle, envelope: claimed })).rejects.toThrow(
      /its `performer` does not match its events/,
    );
  });

  it("still verifies after a JSON round trip", async () => {
    await verify(JSON.parse(JSON.stringify(bundle)));
  });

  it("verification imports only the listed modules, which need nothing but the bundle and the keys", () => {
    expect([...reachableFrom("./verify.ts")].sort()).toEqual([
      "@noble/hashes/sha2.js",
      "@noble/hashes/utils.js",
      "canonicalize",
      "capability/fault-kind.ts",
      "editors.ts",
      "event.ts",
      "paraph-error.ts",
      "policy/evidence.ts",
      "receipts/bytes.ts",
      "receipts/digest.ts",
      "receipts/dsse.ts",
      "receipts/keys.ts",
      "receipts/passkey-proof.ts",
      "receipts/receipt.ts",
      "receipts/verify-passkeys.ts",
      "receipts/verify-predicate.ts",
      "receipts/verify.ts",
    ]);
  });
});

describe("a changed receipt is refused", () => {
  it("if any byte of the payload changes", async () => {
    for (const flipped of everyFlip(bundle.envelope.payload)) await refused(withPayload(flipped));
  });

  it("if any byte of the signature changes", async () => {
    for (const flipped of everyFlip(signature)) await refused(withSignature(flipped));
  });

  it("if any character of a disclosure changes", async () => {
    for (const name of ["input", "output"] as const) {
      const shown = JSON.stringify(bundle.disclosures[name]);
      for (let i = 0; i < shown.length; i += 1) {
        const text = shown.slice(0, i) + String.fromCharCode(shown.charCodeAt(i) ^ 1) + shown.slice(i + 1);
        const changed = asJson(text);
        if (changed !== undefined)
          await refused({ ...bundle, disclosures: { ...bundle.disclosures, [name]: changed } });
      }
    }
  });

  it("if its base64 is spelled differently", async () => {
    const { payload } = bundle.envelope;
    for (const spelled of [`${payload}\n`, ` ${payload}`, `${payload}=`, payload.replace("e", "-")])
      await refused(withPayload(spelled));
    for (const spelled of [signature.replace("==", ""), `${signature}\n`, signature.replace("==", "=")])
      await refused(withSignature(spelled));
    // The last character of a padded signature has unused bits, which must still be zero.
    const last = signature.at(-3)!;
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (let bits = 1; bits < 16; bits += 1) {
      const other = alphabet[alphabet.indexOf(last) ^ bits]!;
      await refused(withSignature(`${signature.slice(0, -3)}${other}==`));
    }
  });

  it.each<[string, (whole: ReceiptBundle) => unknown]>([
    ["another media type", (whole) => ({ ...whole, mediaType: "application/json" })],
    [
      "another payload type",
      (whole) => ({ ...whole, envelope: { ...whole.envelope, payloadType: "text/plain" } }),
    ],
    ["a member too many", (whole) => ({ ...whole, note: "trust me" })],
    ["a member too few", ({ disclosures: _, ...whole }) => whole],
    ["no signature", (whole) => ({ ...whole, envelope: { ...whole.envelope, signatures: [] } })],
    [
      "two signatures",
      (whole) => ({
        ...whole,
        envelope: {
          ...whole.envelope,
          signatures: [...whole.envelope.signatures, ...whole.envelope.signatures],
        },
      }),
    ],
    ["a disclosure nobody signed", (whole) => ({ ...whole, disclosures: { reason: payloads.input } })],
    ["a disclosure under another name", (whole) => ({ ...whole, disclosures: { output: payloads.input } })],
    [
      "a disclosure under a name every object has",
      (whole) => ({ ...whole, disclosures: { constructor: payloads.input } }),
    ],
    ["nothing", () => null],
    ["text", () => "receipt"],
    ["a list", (whole) => [whole]],
  ])("if it has %s", async (_name, change) => {
    await refused(change(bundle));
  });

  it("if another key signed it, whatever key id it claims", async () => {
    const other = await createTestSigner();
    await expect(verify(bundle, [other.publicKey])).rejects.toThrow(/no trusted key/);
    await expect(verify(bundle, [])).rejects.toThrow(/no trusted key/);
    await expect(verify(bundle, [{ ...other.publicKey, kid: signer.keyId }])).rejects.toThrow(
      /does not match/,
    );
    await refused(withSignature(signature, other.keyId));
  });
});

describe("[TRUST 32] a receipt of a revoked key", () => {
  const key = (revokedAt: number) => ({ ...signer.publicKey, revokedAt });
  const closedAt = 1_000 + done.length - 1;

  it("is refused from the revocation on, even if an unrevoked copy of the key is trusted too", async () => {
    await expect(verify(bundle, [key(closedAt)])).rejects.toThrow(/its key is revoked/);
    await expect(verify(bundle, [signer.publicKey, key(closedAt)])).rejects.toThrow(/its key is revoked/);
    await expect(verify(bundle, [key(closedAt + 1), key(closedAt)])).rejects.toThrow(/its key is revoked/);
  });

  it("is refused if the time of the revocation cannot be read", async () => {
    await expect(verify(bundle, [key(Number.NaN)])).rejects.toThrow(/cannot be read/);
  });

  it("names the revocation if the receipt claims an earlier time", async () => {
    expect(await verify(bundle, [key(closedAt + 1)])).toMatchObject({ keyRevokedAt: closedAt + 1 });
    expect(await verify(bundle)).not.toHaveProperty("keyRevokedAt");
  });
});

describe("a signed receipt whose events break the rules of a call is refused", () => {
  it.each<[string, readonly Told[], Outcome["kind"]]>([
    ["[P2] it does not begin with an acceptance", done.slice(1), "succeeded"],
    ["[P2] it does not end", done.slice(0, 3), "succeeded"],
    ["[P2] it ends twice", [...done, closed("succeeded")], "succeeded"],
    ["[P2] it goes on after its end", [...done, attempted("succeeded")], "succeeded"],
    ["[P2] its ending and its outcome differ", done, "failed"],
    ["[P4] an intent in a denied call", [{ kind: "accepted" }, intended, closed("denied")], "denied"],
    [
      "[P4] an effect in an expired call",
      [{ kind: "accepted" }, intended, attempted("succeeded"), closed("expired")],
      "expired",
    ],
    [
      "[P5] an intent before its approval",
      [{ kind: "accepted" }, asked, intended, closed("succeeded")],
      "succeeded",
    ],
    [
      "[P5] an intent after a denied round",
      [{ kind: "accepted" }, asked, closedRound("denied"), intended, closed("succeeded")],
      "succeeded",
    ],
    [
      "[P5] an intent after another round than the last was approved",
      [
        ...([{ kind: "accepted" }, asked, ...votes, closedRound("approved")] as Told[]),
        ...([askedRound(2), intended, closed("succeeded")] as Told[]),
      ],
      "succeeded",
    ],
    ["[P4] an effect in a refused call", [...done.slice(0, 3), closed("refused")], "refused"],
    ["[P4] an effect in a cancelled call", [...done.slice(0, 3), closed("cancelled")], "cancelled"],
    ["[P5] an intent after a block", [{ kind: "accepted" }, ruled("block"), ...done.slice(1)], "succeeded"],
    ["[P5] nobody was asked", [{ kind: "accepted" }, ruled("ask"), ...done.slice(1)], "succeeded"],
    [
      "[P5] the approved round was voided",
      approvedBy(...votes, closedRound("approved"), closedRound("void")),
      "succeeded",
    ],
    [
      "[P5] the approved round was voided after policy had allowed it",
      approvedBy(...votes, closedRound("approved"), ruled("allow"), closedRound("void")),
      "succeeded",
    ],
    ["[TRUST 1] an approved round without a vote", approvedBy(closedRound("approved")), "succeeded"],
    [
      "[TRUST 13] too few votes for its guard",
      approvedBy(voted("ana"), closedRound("approved")),
      "succeeded",
    ],
    [
      "[TRUST 13] one person's vote twice",
      approvedBy(voted("ana"), voted("ana"), closedRound("approved")),
      "succeeded",
    ],
    [
      "[TRUST 13] a person's own vote, and that of their stand-in",
      approvedBy(voted("ana"), voted("bo", { inPlaceOf: ["ana"] }), closedRound("approved")),
      "succeeded",
    ],
    [
      "[TRUST 13] the votes of two stand-ins of one person",
      approvedBy(
        voted("ana", { inPlaceOf: ["cy"] }),
        voted("bo", { inPlaceOf: ["cy"] }),
        closedRound("approved"),
      ),
      "succeeded",
    ],
    [
      "[TRUST 1] a vote for another digest",
      approvedBy(...votes, voted("cy", { digest: "e".repeat(64) }), closedRound("approved")),
      "succeeded",
    ],
    [
      "[TRUST 1] a closing for another digest",
      approvedBy(...votes, { kind: "round-closed", data: { round: 1, status: "approved", digest: "e" } }),
      "succeeded",
    ],
    [
      "[TRUST 1] a vote of another round",
      approvedBy(voted("ana"), voted("bo", { round: 2 }), closedRound("approved")),
      "succeeded",
    ],
    [
      "[P5] a vote against it",
      approvedBy(...votes, voted("cy", { decision: "deny" }), closedRound("approved")),
      "succeeded",
    ],
    [
      "[TRUST 12] the owner's vote as an approver's",
      approvedBy(voted("ana"), voted("owner"), closedRound("approved")),
      "succeeded",
    ],
    [
      "[TRUST 13] a round without a vote, of a call that never acted",
      [{ kind: "accepted" }, asked, closedRound("approved"), closed("failed")],
      "failed",
    ],
  ])("%s", async (_name, told, kind) => {
    await refused(await receipt(told, kind));
  });

  it("[P5] a round with the votes of its guard verifies, as does a void round before an allow ruling", async () => {
    await verify(await receipt(approvedBy(...votes, closedRound("approved"))));
    await verify(await receipt(approvedBy(closedRound("void"), ruled("allow"))));
  });

  it("[P4] a denied call may have an earlier attempt that was not performed", async () => {
    const told = [{ kind: "accepted" }, intended, attempted("not-performed"), closed("denied")] as const;
    await verify(await receipt(told, "denied"));
  });
});

function* everyFlip(encoded: string): Generator<string> {
  const bytes = fromBase64(encoded);
  for (let i = 0; i < bytes.length; i += 1) {
    const changed = bytes.slice();
    changed[i]! ^= 1 << (i % 8);
    yield base64(changed);
  }
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns every module that is loaded when this one runs. */
function reachableFrom(module: string, importer = import.meta.url, seen = new Set<string>()): Set<string> {
  const file = module.startsWith(".") ? new URL(module, importer) : undefined;
  const name = file ? file.href.slice(sourceFolder.length) : module;
  if (seen.has(name)) return seen;
  seen.add(name);
  if (!file) return seen;
  for (const [, kind, from] of readFileSync(file, "utf8").matchAll(/^import (type )?[^;]*?from "([^"]+)";/gm))
    if (!kind) reachableFrom(from!, file.href, seen);
  return seen;
}

const sourceFolder = new URL("../", import.meta.url).href;
