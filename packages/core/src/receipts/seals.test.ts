import { describe, expect, it } from "vitest";
import type { Grant } from "../grant.ts";
import { createTestSigner } from "../testing/test-signer.ts";
import {
  isChatAccountSealed,
  isChatInvitationSealed,
  sealChatAccount,
  sealChatInvitation,
} from "./sealed-chat-account.ts";
import { isGrantProven, sealGrant } from "./sealed-grant.ts";
import { isPasskeySealed, sealPasskey } from "./sealed-passkey.ts";

const sealer = await createTestSigner();
const people = [
  { by: "ana", groups: ["dba"] },
  { by: "ben", groups: [] },
];
const terms: Grant = {
  id: "grant_1",
  capability: "billing.refund",
  principal: "agent",
  bounds: {},
  people,
  countLeft: 3,
  amountLeft: 500,
  expiresAt: 1_000,
};

describe("[TRUST 32] a grant counts only under the terms that people gave", () => {
  const grant = sealGrant("acme", terms, sealer);

  it.each<[string, Partial<Grant>]>([
    ["as it was given", {}],
    ["after a part of it was spent", { countLeft: 1, amountLeft: 20 }],
    ["while one of its people is barred", { people: people.slice(0, 1) }],
  ])("%s", (_what, change) => {
    expect(isGrantProven("acme", { ...grant, ...change }, sealer)).toBe(true);
  });

  it.each<[string, Partial<Grant>]>([
    ["with more calls", { countLeft: 4 }],
    ["with more money", { amountLeft: 501 }],
    ["with money that has no bound", { amountLeft: undefined } as never],
    ["by another person", { people: [{ by: "eve", groups: ["dba"] }] }],
    ["by a person with more groups", { people: [{ by: "ben", groups: ["dba"] }] }],
    ["for another principal", { principal: "other" }],
    ["for every principal", { principal: undefined } as never],
    ["for another capability", { capability: "billing.pay" }],
    ["for longer", { expiresAt: 2_000 }],
    ["for destruction too", { destroy: true }],
    ["for every guard", { breakGlass: true }],
    ["without its seal", { given: undefined } as never],
  ])("not %s", (_what, change) => {
    expect(isGrantProven("acme", { ...grant, ...change }, sealer)).toBe(false);
  });

  it("not for another tenant, and not under the seal of another grant", () => {
    expect(isGrantProven("other", grant, sealer)).toBe(false);
    const wide = sealGrant("acme", { ...terms, id: "grant_2", countLeft: 9 }, sealer);
    expect(isGrantProven("acme", { ...grant, given: wide.given! }, sealer)).toBe(false);
  });

  it("a grant without a bound on money never had one", () => {
    const { amountLeft: _none, ...unbounded } = terms;
    const given = sealGrant("acme", unbounded, sealer);
    expect(isGrantProven("acme", given, sealer)).toBe(true);
    expect(isGrantProven("acme", { ...given, amountLeft: 5 }, sealer)).toBe(true);
  });
});

it("[TRUST 32] the seal of a passkey holds for its person, key and tenant", () => {
  const passkey = { credential: "c1", person: "ana", publicKey: "k1" };
  const seal = sealPasskey("acme", passkey, sealer);
  expect(isPasskeySealed("acme", passkey, seal, sealer)).toBe(true);
  expect(isPasskeySealed("other", passkey, seal, sealer)).toBe(false);
  for (const change of [{ person: "eve" }, { publicKey: "k2" }, { credential: "c2" }])
    expect(isPasskeySealed("acme", { ...passkey, ...change }, seal, sealer)).toBe(false);
});

it("[TRUST 32] the seal of a linked chat account holds for its person, and an invitation is no link", () => {
  const account = { team: "T1", account: "U1", person: "ana" };
  const seal = sealChatAccount("acme", account, sealer);
  expect(isChatAccountSealed("acme", account, seal, sealer)).toBe(true);
  expect(isChatAccountSealed("other", account, seal, sealer)).toBe(false);
  for (const change of [{ person: "eve" }, { account: "U2" }, { team: "T2" }])
    expect(isChatAccountSealed("acme", { ...account, ...change }, seal, sealer)).toBe(false);

  const invitation = { team: "T1", account: "U1", teamName: "Acme", accountName: "ana", expiresAt: 1_000 };
  const invited = sealChatInvitation(invitation, sealer);
  expect(isChatInvitationSealed(invitation, invited, sealer)).toBe(true);
  expect(isChatInvitationSealed({ ...invitation, expiresAt: 2_000 }, invited, sealer)).toBe(false);
  expect(isChatAccountSealed("acme", account, invited, sealer)).toBe(false);
});
