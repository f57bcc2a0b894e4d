import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Outcome } from "../outcome.ts";
import {
  approvedBy,
  attempted,
  brokenStories,
  closed,
  closedRound,
  createSampleReceipt,
  done,
  intended,
  malformedReceipts,
  ruled,
  type SampleEvent,
  voted,
  votes,
} from "../testing/receipt-samples.ts";
import { createTestSigner } from "../testing/test-signer.ts";
import { base64, fromBase64 } from "./bytes.ts";
import { signEnvelope } from "./dsse.ts";
import { receiptMediaType, statementText } from "./receipt.ts";
import { explainReceiptFault, receiptChecks, verifyReceipt } from "./verify.ts";

const signer = await createTestSigner();
const receipt = (told?: readonly SampleEvent[], kind?: Outcome["kind"]) =>
  createSampleReceipt(signer, told, kind);
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

  it("reports each passed check, and not the one that failed", async () => {
    const passed: string[] = [];
    await verifyReceipt(bundle, [signer.publicKey], (check) => passed.push(check));
    expect(passed.splice(0)).toEqual(receiptChecks);
    const changed = { ...bundle, disclosures: { output: bundle.disclosures.input } };
    const attempt = verifyReceipt(changed, [signer.publicKey], (check) => passed.push(check));
    await expect(attempt).rejects.toThrow("the disclosed output");
    expect(passed).toEqual(receiptChecks.slice(0, -1));
  });

  it("names the agent as performer, and is refused if its events do not match", async () => {
    const taken: SampleEvent = { kind: "intended", data: { attempt: 1, performer: "agent" } };
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

  it.each(malformedReceipts)("if it has %s", async (_name, change) => {
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

describe("[TRUST 28] a receipt of an edited call", () => {
  const edited = (by: string, more: SampleEvent["data"] = {}): readonly SampleEvent[] =>
    approvedBy(...votes, voted(by, more), closedRound("approved")).map((event) =>
      event.kind === "accepted" ? { ...event, data: { editors: ["cy"] } } : event,
    );

  it("verifies if its editors confirmed or other people approved", async () => {
    expect((await verify(await receipt(edited("di")))).story.editors).toEqual(["cy"]);
    await verify(await receipt(edited("cy", { as: "confirmation" })));
  });

  it("is refused if a person approved their own edit", async () => {
    await expect(verify(await receipt(edited("cy")))).rejects.toThrow("a person approved their own edit");
  });

  it("is refused if its editors are not those of its acceptance", async () => {
    const { story } = await verify(await receipt(edited("di")));
    const claimed = statementText({ ...story, editors: ["di"] });
    const envelope = await signEnvelope(receiptMediaType, claimed, signer);
    await expect(verify({ ...bundle, envelope, disclosures: {} })).rejects.toThrow(
      "its `editors` do not match its `accepted` event",
    );
  });
});

it("explains why a file is no receipt, or why its receipt does not verify", async () => {
  const why = async (whole: unknown) => explainReceiptFault(await verify(whole).catch((error) => error));
  expect(await why(withSignature(signature, "another"))).toContain("no trusted key has signed it");
  const odd = await signEnvelope(receiptMediaType, "text", signer);
  expect(await why({ ...bundle, envelope: odd })).toContain("does not have the format of a receipt");
});

it("a receipt counts no less and no more because of steps that the voters left out", async () => {
  const guards = [
    { id: "a", ruling: "ask", quorum: 2, steps: ["a"] },
    { id: "b", ruling: "ask", quorum: 1, steps: ["b"] },
  ];
  const story = (...declined: string[]) =>
    approvedBy(voted("ana", { declined }), closedRound("approved")).map((event) =>
      event.kind === "asked" ? { ...event, data: { ...event.data, guards } } : event,
    );
  await verify(await receipt(story("a")));
  await expect(verify(await receipt(story("b")))).rejects.toThrow("without the votes that its guards demand");
  await expect(verify(await receipt(story()))).rejects.toThrow("without the votes that its guards demand");
});

describe("a signed receipt whose events break the rules of a call is refused", () => {
  it.each(brokenStories)("%s", async (_name, told, kind) => {
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
