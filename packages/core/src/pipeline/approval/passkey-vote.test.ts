import { describe, expect, it } from "vitest";
import { createMailbox } from "../../../../../test/support/mailbox.ts";
import { type AssertionOptions, SoftAuthenticator } from "../../../../../test/support/soft-authenticator.ts";
import { createPerson, testAgent } from "../../../../../test/support/test-pipeline.ts";
import type { Call } from "../../call.ts";
import { isDischarged } from "../../policy/evidence.ts";
import { findPasskeyFault, passkeyChallenge } from "../../receipts/passkey-proof.ts";
import { verifyReceipt } from "../../receipts/verify.ts";
import { createPlainPolicy } from "../../testing/plain-policy.ts";
import { admit } from "../admission/admit.ts";
import { type Decision, decide, findPasskeySubject } from "./decide.ts";

const key = new SoftAuthenticator();

async function ask(rule: { ask: number; group?: string } = { ask: 1 }) {
  const mailbox = await createMailbox();
  const policy = createPlainPolicy({ "mail.send": { ...rule, proof: "passkey" } });
  const ports = { ...mailbox.ports, policy };
  const request = { principal: testAgent, capability: "mail.send", input: { to: "a", n: 1 } };
  const { call } = await admit(request, ports);
  const toDecision = (more: Partial<Decision> = {}, about: Call = call): Decision => ({
    approval: about.approval!.id,
    digest: about.approval!.digest,
    voter: createPerson("bo"),
    decision: "approve",
    ...more,
  });
  const prove = async (decision: Decision, options?: AssertionOptions) =>
    key.prove(passkeyChallenge(await findPasskeySubject(decision, ports)), options);
  return { ...mailbox, ports, request, call, toDecision, prove };
}

describe("[TRUST 27] a guard with the proof `passkey`", () => {
  it("refuses an approval without an assertion and says what to do; a denial needs none", async () => {
    const { ports, toDecision } = await ask();
    await expect(decide(toDecision(), ports)).rejects.toMatchObject({
      code: "passkey-required",
      message: expect.stringContaining("Open the approval's page"),
    });
    const denied = await decide(toDecision({ decision: "deny" }), ports);
    expect(denied.call).toMatchObject({ outcome: { kind: "denied" } });
    expect(denied.call.events.find(({ kind }) => kind === "voted")?.data).not.toHaveProperty("proof");
  });

  it("accepts an assertion about this approval, and the receipt verifies offline with it", async () => {
    const { ports, toDecision, prove, advance, store, signer, world } = await ask();
    const decision = toDecision();
    const { call } = await decide({ ...decision, proof: await prove(decision) }, ports);
    expect(await advance(call, ports)).toMatchObject({ outcome: { kind: "succeeded" } });
    expect(world.effects).toHaveLength(1);
    const envelope = store.envelope(call)!;
    const bundle = { mediaType: "application/vnd.paraph.receipt.v1+json", envelope, disclosures: {} };
    expect(await verifyReceipt(bundle, [signer.publicKey])).toMatchObject({ passkeys: ["bo"] });
  });

  it.each<[string, AssertionOptions]>([
    ["without user verification", { isUserVerified: false }],
    ["of another site", { origin: "https://evil.example" }],
    ["of a registration", { type: "webauthn.create" }],
  ])("refuses an assertion %s", async (_, options) => {
    const { ports, toDecision, prove } = await ask();
    const decision = toDecision();
    const proof = await prove(decision, options);
    await expect(decide({ ...decision, proof }, ports)).rejects.toMatchObject({ code: "passkey-invalid" });
  });

  it("refuses an assertion about another call, person or answer, and a changed signature", async () => {
    const { ports, request, toDecision, prove } = await ask();
    const decision = toDecision();
    const { call: other } = await admit({ ...request, input: { to: "b", n: 2 } }, ports);
    const foreign = [
      await prove(toDecision({}, other)),
      await prove(toDecision({ voter: createPerson("cy") })),
      { ...(await prove(decision)), signature: (await prove(decision)).authenticatorData },
    ];
    for (const proof of foreign)
      await expect(decide({ ...decision, proof }, ports)).rejects.toMatchObject({ code: "passkey-invalid" });
  });

  it("binds the round, the steps left out and the answer", async () => {
    const subject = { tenant: "acme", call: "call_1", round: 1, digest: "d", by: "ana" };
    const proof = key.prove(passkeyChallenge(subject));
    expect(await findPasskeyFault(proof, subject)).toBeUndefined();
    for (const other of [{ round: 2 }, { declined: ["a"] }, { answerDigest: "e" }, { tenant: "evil" }])
      expect(await findPasskeyFault(proof, { ...subject, ...other })).toContain("another digest");
    expect(await findPasskeyFault({ ...proof, rpId: "example.com" }, subject)).toContain("another site");
    expect(await findPasskeyFault({ ...proof, clientData: "x" }, subject)).toContain("malformed");
  });

  it("counts neither votes without an assertion nor a grant, which has none; break-glass still counts", () => {
    const asked = { id: "g", ruling: "ask", quorum: 1, urgency: "normal", sentence: "s" } as const;
    const guard = { ...asked, proof: "passkey" } as const;
    const vote = { by: "ana", decision: "approve", as: "approver" } as const;
    const proof = key.prove("c");
    const people = [{ by: "ana", groups: [] }];
    const grant = {
      ...{ id: "grant_1", capability: "a.b", bounds: {}, countLeft: 1, expiresAt: 1, people },
      given: { people, count: 1, seal: "s" },
    };
    expect(isDischarged(guard, { votes: [vote] })).toBe(false);
    expect(isDischarged(guard, { votes: [{ ...vote, proof }] })).toBe(true);
    expect(isDischarged(guard, { votes: [], grants: [grant] })).toBe(false);
    expect(isDischarged(guard, { votes: [], grants: [{ ...grant, breakGlass: true }] })).toBe(true);
  });
});
