import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { hasProgram } from "../../../../test/support/optional-programs.ts";
import { type AssertionOptions, SoftAuthenticator } from "../../../../test/support/soft-authenticator.ts";
import { type Event, type RecordedEvent, toRecorded } from "../event.ts";
import { createTestSigner } from "../testing/test-signer.ts";
import {
  findPasskeyFault,
  type PasskeyProof,
  type PasskeySubject,
  passkeyChallenge,
} from "./passkey-proof.ts";
import { issueReceipt, type ReceiptBundle, rebuildReceipt } from "./receipt.ts";
import { verifyReceipt } from "./verify.ts";

const signer = await createTestSigner();
const key = new SoftAuthenticator();
const folder = mkdtempSync(join(tmpdir(), "paraph-passkeys-"));
afterAll(() => rmSync(folder, { recursive: true }));
const script = fileURLToPath(
  new URL("../../../../examples/verify-passkey/verify_passkey.py", import.meta.url),
);
const hasPython = hasProgram(
  spawnSync("python3", ["--version"]).status === 0,
  "python3",
  "apt-get install -y python3",
);

const digest = "d".repeat(64);
const subject: PasskeySubject = { tenant: "acme", call: "call_1", round: 1, digest, by: "ana" };
const guard = { id: "g", ruling: "ask", quorum: 1, proof: "passkey" };

/** Returns the receipt of an approved call. `proven` is the approval that the passkey signed. */
async function createReceipt(given: {
  proven?: Partial<PasskeySubject>;
  isUserVerified?: boolean;
  vote?: Record<string, unknown>;
  inherited?: boolean;
}): Promise<ReceiptBundle> {
  const { proven = {}, isUserVerified = true, vote = {}, inherited = false } = given;
  const about = { ...subject, ...(inherited && { call: "call_plan" }), ...proven };
  const proof = key.prove(passkeyChallenge(about), { isUserVerified });
  const cast = { by: "ana", decision: "approve", as: "approver", proof, ...vote };
  const told: [RecordedEvent["kind"], object][] = inherited
    ? [["approval-inherited", { by: "call_plan", round: 1, approval: digest, digest: "e", votes: [cast] }]]
    : [
        ["asked", { round: 1, digest, guards: [guard] }],
        ["voted", { round: 1, digest, ...cast }],
        ["round-closed", { round: 1, status: "approved", digest }],
      ];
  const events = [
    ["accepted", {}],
    ...told,
    ["intended", { attempt: 1 }],
    ["attempted", { attempt: 1, as: "succeeded" }],
    ["closed", { outcome: "succeeded" }],
  ].map(([kind, data], index) => ({ seq: index + 1, kind, at: 1_000 + index, data }));
  const receipt = await issueReceipt(
    {
      ...{ tenant: "acme", call: "call_1", capability: "billing.refund", version: 1, contractDigest: "c" },
      principal: { tenant: "acme", id: "bot", kind: "agent", owner: "owner" },
    },
    {
      ...{ attempts: 1, durationMs: 5, payloads: {} },
      outcome: { kind: "succeeded", code: "done" },
      events: events as unknown as Event[],
    },
    signer,
  );
  const envelope = rebuildReceipt(receipt, toRecorded(events as unknown as Event[]));
  return { mediaType: "application/vnd.paraph.receipt.v1+json", envelope, disclosures: {} };
}

function prove(options: AssertionOptions = {}): PasskeyProof {
  return key.prove(passkeyChallenge(subject), options);
}

/** Returns an assertion whose authenticator signed for a site, and which claims to be of another one. */
function signedForAnotherSite(): PasskeyProof {
  return { ...prove({ rpId: "evil.test", origin: "https://localhost" }), rpId: "localhost" };
}

function changeClient(change: object): PasskeyProof {
  const proof = prove();
  const client = { ...JSON.parse(Buffer.from(proof.clientData, "base64url").toString()), ...change };
  return { ...proof, clientData: Buffer.from(JSON.stringify(client)).toString("base64url") };
}

/** Returns the signature of another key of the same algorithm. */
function signedByAnother({ alg }: PasskeyProof): Pick<PasskeyProof, "signature"> {
  return { signature: new SoftAuthenticator(alg).prove(passkeyChallenge(subject)).signature };
}

function verifyWithPython(bundle: ReceiptBundle) {
  const file = join(folder, "receipt.json");
  writeFileSync(file, JSON.stringify(bundle));
  const { status, stdout, stderr } = spawnSync("python3", [script, file], { encoding: "utf8" });
  return { status, text: stdout + stderr };
}

describe("[TRUST 27] a receipt with a passkey approval", () => {
  it.each([
    ["of its own round", {}],
    ["without some steps", { proven: { declined: ["a", "ä\n"] }, vote: { declined: ["a", "ä\n"] } }],
    ["with an answer", { proven: { answerDigest: "f" }, vote: { answerDigest: "f" } }],
    ["that a step inherited from its plan", { inherited: true }],
  ])("verifies offline: an approval %s", async (_, given) => {
    const bundle = await createReceipt(given);
    expect(await verifyReceipt(bundle, [signer.publicKey])).toMatchObject({ passkeys: ["ana"] });
  });

  it.each([
    ["for another digest", { proven: { digest: "e".repeat(64) } }, "another digest"],
    ["by another person", { proven: { by: "bo" } }, "another digest, person"],
    ["in another round", { proven: { round: 2 } }, "another digest, person, round"],
    ["of another call", { proven: { call: "call_2" } }, "another digest"],
    ["of all steps, if the vote leaves one out", { vote: { declined: ["a"] } }, "another digest"],
    ["without user verification", { isUserVerified: false }, "without user verification"],
    ["of another plan", { inherited: true, proven: { call: "call_3" } }, "another digest"],
  ])("is refused if the assertion was made %s", async (_, given, reason) => {
    const bundle = await createReceipt(given);
    await expect(verifyReceipt(bundle, [signer.publicKey])).rejects.toThrow(reason);
  });

  it.each([-7, -8, -257] as const)("verifies with a key of the algorithm %d", async (alg) => {
    const proof = new SoftAuthenticator(alg).prove(passkeyChallenge(subject));
    expect(await findPasskeyFault(proof, subject)).toBeUndefined();
    expect(await findPasskeyFault({ ...proof, ...signedByAnother(proof) }, subject)).toBe(
      "the signature of a passkey does not match",
    );
  });

  it.each<[string, PasskeyProof, string]>([
    ["for another purpose", prove({ type: "webauthn.create" }), "has the wrong type"],
    ["on another site", prove({ origin: "https://localhost.evil.test" }), "was made on another site"],
    ["on a site with a similar name", prove({ origin: "https://evillocalhost" }), "was made on another site"],
    ["inside a page of another site", changeClient({ crossOrigin: true }), "was made on another site"],
    ["for the key of another site", { ...prove(), rpId: "other" }, "was made on another site"],
    ["by a key of another site", signedForAnotherSite(), "was made for another site"],
    ["without data", { ...prove(), authenticatorData: "AAAA" }, "is malformed"],
    ["without a signature", { ...prove(), signature: "AAAA" }, "is malformed"],
    ["on no site", changeClient({ origin: "nowhere" }), "is malformed"],
  ])("is refused if the assertion was made %s", async (_what, proof, fault) => {
    expect(await findPasskeyFault(proof, subject)).toBe(`a passkey assertion ${fault}`);
  });

  it("counts on a subdomain of the key's site", async () => {
    expect(await findPasskeyFault(prove({ origin: "https://app.localhost" }), subject)).toBeUndefined();
  });

  it.runIf(hasPython)("verifies with a page of Python, which refuses it under another digest", async () => {
    const steps = ["a", "ä\n"];
    for (const given of [{ proven: { declined: steps }, vote: { declined: steps } }, { inherited: true }])
      expect(verifyWithPython(await createReceipt(given))).toEqual({
        status: 0,
        text: `approved with passkey by ana on https://localhost, digest ${digest.slice(0, 16)}\n`,
      });
    expect(verifyWithPython(await createReceipt({ proven: { digest: "e" } })).text).toContain(
      "not verified: it is about another approval",
    );
    const { signature } = key.prove("another challenge");
    const proof = { ...key.prove(passkeyChallenge(subject)), signature };
    const changed = await createReceipt({ vote: { proof } });
    expect(verifyWithPython(changed).text).toContain("not verified: the signature does not match");
    await expect(verifyReceipt(changed, [signer.publicKey])).rejects.toThrow("signature of a passkey");
  });

  it("is refused if the guard demands a passkey and the vote has none", async () => {
    const bundle = await createReceipt({ vote: { proof: undefined } });
    await expect(verifyReceipt(bundle, [signer.publicKey])).rejects.toThrow(
      "without the votes that its guards demand",
    );
  });
});
