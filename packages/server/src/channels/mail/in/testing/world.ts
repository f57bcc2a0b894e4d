import type { Approval, Call, Contract, Guard, Principal } from "@paraph/core";
import { createRawEvent } from "@paraph/core/testing";
import type { ReachablePerson, ReplyToken } from "../../../../postgres/index.ts";
import type { AssessDeps } from "../assess-reply.ts";
import { digestToken } from "../reply-token.ts";
import { replyAddress, resolveDns } from "./draft.ts";

const now = Date.parse("2026-11-18T10:05:00Z");

/** The tokens of the corpus, each for another notice. */
export const tokens = {
  /** Sent to ana, about a request of low risk whose policy allows replies. */
  ana: "a".repeat(32),
  bo: "b".repeat(32),
  /** About a request of the tenant `other`, to a person with the same id and another address. */
  otherTenant: "c".repeat(32),
  expired: "d".repeat(32),
  highRisk: "e".repeat(32),
  /** About a plan of low risk with one step of critical risk. */
  criticalStep: "f".repeat(32),
  /** One of the two policies that ask does not allow replies. */
  notAllowed: "g".repeat(32),
  /** The mail did not show every change. */
  cut: "h".repeat(32),
  /** Sent to a person who was disabled afterwards. */
  left: "i".repeat(32),
  decided: "j".repeat(32),
  unknown: "z".repeat(32),
} as const;

type TokenName = Exclude<keyof typeof tokens, "unknown">;

const people: Readonly<Record<string, string>> = {
  "acme/ana": "ana@example.com",
  "acme/bo": "bo@example.org",
  "other/ana": "ana@other.example",
};

const guard = (id: string, reply: boolean): Guard => ({
  id,
  ruling: "ask",
  quorum: 1,
  urgency: "normal",
  sentence: "s",
  ...(reply && { reply: "approve" as const }),
});

/** The requests of the corpus, as the store and the catalog would return them. */
export const world: AssessDeps = {
  address: replyAddress,
  arcSealers: ["lists.example.net"],
  own: ["paraph@paraph.example", replyAddress],
  resolve: resolveDns,
  now: () => now,
  async findToken(digest) {
    const names = Object.keys(tokens) as (keyof typeof tokens)[];
    const name = names.find((one) => digestToken(tokens[one]) === digest);
    return name === undefined || name === "unknown" ? undefined : createToken(name, digest);
  },
  async findRecipient({ tenant, recipient }) {
    const address = people[`${tenant}/${recipient}`];
    const principal: Principal = { tenant, id: recipient, kind: "person" };
    return address === undefined
      ? undefined
      : ({ principal, address, delegations: [] } satisfies ReachablePerson);
  },
  async findCall({ notice, approval, roundDigest }) {
    const name = notice as TokenName;
    const guards = [guard("g1", true), ...(name === "notAllowed" ? [guard("g2", false)] : [])];
    const round = { id: name === "decided" ? "ask_later" : approval, round: 1, digest: roundDigest, guards };
    const steps = name === "criticalStep" ? { low: 2, critical: 1 } : undefined;
    const asked = createRawEvent("asked", now, { round: 1, ...(steps && { steps }) });
    const call = { approval: round as unknown as Approval, events: [{ seq: 1, ...asked }] };
    const contract = {
      risk: name === "highRisk" ? "high" : "low",
      ...(steps && { composite: true }),
    };
    return { call: call as unknown as Call, contract: contract as unknown as Contract };
  },
};

function createToken(name: TokenName, digest: string): ReplyToken {
  return {
    tenant: name === "otherTenant" ? "other" : "acme",
    digest,
    notice: name,
    recipient: name === "bo" || name === "left" ? name : "ana",
    request: null,
    call: `call_${name}`,
    approval: `ask_${name}`,
    roundDigest: `digest_${name}`,
    complete: name !== "cut",
    expiresAt: name === "expired" ? now - 1 : now + 3_600_000,
  };
}
