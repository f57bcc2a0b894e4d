import { type Call, commitment, type Guard, type Json, type Payload, type RecordedEvent } from "@paraph/core";
import { expect, it } from "vitest";
import { explainCall } from "./explain.ts";

const people: Guard = {
  id: "large-refunds",
  ruling: "ask",
  quorum: 2,
  urgency: "high",
  group: "finance",
  sentence: "Large refunds need two people of finance.",
};
const secrets: Guard = {
  id: "no-secrets",
  ruling: "check",
  quorum: 1,
  urgency: "normal",
  onFail: "ask",
  sentence: "Nothing secret leaves.",
  checks: ["check.secrets"],
};
const set = {
  guards: new Map([people, secrets].map((guard) => [guard.id, guard])),
  sentences: new Map([["reads", "Reads are free."]]),
};

const principal = { id: "bot", kind: "agent", groups: ["robots"], owner: "ana" };
function createQuestion(salt: string, more: { [name: string]: Json }): Payload {
  return { salt, value: { version: "v1", principal, preview: true, discharged: [], ...more } };
}
const toRequestData = ({ salt, value }: Payload) => ({ request: commitment(salt, value) });

function createCall(events: readonly Omit<RecordedEvent, "seq" | "at">[], more: Partial<Call> = {}): Call {
  return {
    tenant: "acme",
    call: "call_1",
    capability: "bank.refund",
    requirements: [],
    approval: undefined,
    events: events.map((event, index) => ({ ...event, seq: index + 1, at: index })),
    ...more,
  } as Call;
}

it("lists each ruling with its policies, the evidence that satisfied guards, and the unmet demands", () => {
  const [first, second, third] = [
    createQuestion("1", {}),
    createQuestion("2", { discharged: ["no-secrets"], checks: [{ check: "check.secrets", passed: true }] }),
    createQuestion("3", {
      discharged: ["no-secrets", "large-refunds", "somebody-elses-guard"],
      checks: [{ check: "check.secrets", passed: true }],
      votes: [
        { by: "bo", decision: "approve" },
        { by: "cy", decision: "approve" },
      ],
    }),
  ];
  const ruled = (ruling: string, policies: string[], asked: Payload) => ({
    kind: "ruled" as const,
    data: { ruling, policies, version: "v1", ...toRequestData(asked) },
  });
  const { rulings } = explainCall(
    createCall([
      { kind: "accepted", data: {} },
      ruled("check", ["no-secrets"], first),
      ruled("ask", ["large-refunds"], second),
      ruled("allow", ["refunds-are-permitted"], third),
      { kind: "intended", data: { attempt: 1, policies: ["refunds-are-permitted"], version: "v1" } },
      { kind: "intended", data: { attempt: 2, ruling: "again" } },
    ]),
    { requests: [first, second, third], set: () => set, inForce: "v1" },
  );
  expect(rulings.map(({ ruling, moment }) => [ruling, moment])).toEqual([
    ["check", "admission"],
    ["ask", "revalidation"],
    ["allow", "revalidation"],
  ]);
  expect(rulings[0]).toMatchObject({
    policies: [{ id: "no-secrets", sentence: "Nothing secret leaves." }],
    unmet: [{ policy: "no-secrets", sentence: "`check.secrets` to pass, or else approval by one person." }],
    asked: { principal, preview: true },
    satisfied: [],
    inForce: true,
  });
  expect(rulings[1]).toMatchObject({
    unmet: [{ policy: "large-refunds", sentence: "Approval by 2 people of `finance`." }],
    satisfied: [{ policy: "no-secrets", by: "checks", who: ["check.secrets"] }],
  });
  expect(rulings[2]).toMatchObject({
    unmet: [],
    satisfied: [
      { policy: "no-secrets", by: "checks" },
      { policy: "large-refunds", by: "people", who: ["bo", "cy"] },
    ],
  });
});

it("explains for each block code what would have to change", () => {
  const said = (code: string) =>
    explainCall(
      createCall([{ kind: "ruled", data: { ruling: "block", code, policies: [], version: "v0" } }]),
      {
        requests: [],
        set: () => undefined,
        inForce: "v1",
      },
    ).rulings[0]!;
  expect(said("not-permitted")).toMatchObject({ code: "not-permitted", inForce: false });
  const needs = [
    "forbidden",
    "not-permitted",
    "policy-error",
    "check-failed",
    "check-error",
    "not-confirmed",
  ].map((code) => said(code).unmet[0]!.sentence);
  expect(new Set(needs).size).toBe(6);
});

it("explains as much as possible if the policy request was erased and the policy set is gone", () => {
  const guards = [people];
  const call = createCall(
    [
      {
        kind: "ruled",
        data: { ruling: "ask", policies: ["large-refunds", "gone"], version: "v0", request: "x" },
      },
    ],
    { approval: { guards } as unknown as NonNullable<Call["approval"]> },
  );
  const { rulings } = explainCall(call, { requests: [], set: () => undefined, inForce: "v1" });
  expect(rulings[0]).toMatchObject({
    policies: [{ id: "large-refunds", sentence: people.sentence }, { id: "gone" }],
    unmet: [{ sentence: "Approval by 2 people of `finance`." }, { sentence: "Approval by people." }],
  });
  expect(rulings[0]).not.toHaveProperty("asked");
});

it("names the grant that satisfied a guard, the observed ruling and the shadow ruling", () => {
  const asked = createQuestion("1", { discharged: ["large-refunds"] });
  const observed = { kind: "ask", policies: ["large-refunds"] };
  const shadow = { kind: "block", policies: ["soon"], code: "forbidden" };
  const { rulings } = explainCall(
    createCall([
      { kind: "ruled", data: { ruling: "allow", policies: [], version: "v1", observed, shadow } },
      { kind: "ruled", data: { ruling: "ask", policies: ["large-refunds"], version: "v1" } },
      {
        kind: "ruled",
        data: { ruling: "allow", policies: [], version: "v1", grant: "grant_1", ...toRequestData(asked) },
      },
    ]),
    { requests: [asked], set: () => set, inForce: "v1" },
  );
  expect(rulings[0]).toMatchObject({ observed, shadow });
  expect(rulings[2]?.satisfied).toEqual([{ policy: "large-refunds", by: "grant", who: ["grant_1"] }]);
});

it("derives from the events which evidence satisfied each guard, if the policy request is not kept", () => {
  const vote = (by: string, round: number, decision = "approve") => ({
    kind: "voted" as const,
    data: { round, by, decision, as: "approver" },
  });
  const { rulings } = explainCall(
    createCall([
      { kind: "ruled", data: { ruling: "check", policies: ["no-secrets"], version: "v1" } },
      { kind: "checked", data: { results: [{ check: "check.secrets", passed: true }] } },
      { kind: "ruled", data: { ruling: "ask", policies: ["large-refunds"], version: "v1" } },
      vote("earlier", 1),
      vote("bo", 2),
      vote("cy", 2),
      { kind: "intended", data: { attempt: 1, policies: ["refunds-are-permitted"], version: "v1" } },
      vote("later", 2),
    ]),
    { requests: [], set: () => set, inForce: "v1" },
  );
  expect(rulings.at(-1)).toMatchObject({
    moment: "intent",
    ruling: "allow",
    satisfied: [
      { policy: "no-secrets", by: "checks", who: ["check.secrets"] },
      { policy: "large-refunds", by: "people", who: ["bo", "cy"] },
    ],
  });
  expect(rulings.at(-1)).not.toHaveProperty("asked");
});
