import type { Json, JsonObject, Preview, Ruling } from "@paraph/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  createApprovals,
  createContract,
  loadTestPolicies,
  refundContract,
  ruleContract,
  sampleAgent,
  singleChangePreview,
  validRefundInput,
} from "../testing/sample-contracts.ts";

const text = `
@id("too-much") forbid (principal, action == Action::"billing.refund", resource)
when { context.input.cents > 100000 };

@id("no-embargo") forbid (principal, action == Action::"billing.refund", resource)
when { context.input.customer.country == "XX" };

@id("vip-tags") @ruling("ask") @quorum("2") @urgency("high")
forbid (principal, action == Action::"billing.refund", resource)
when { context.input has tags && context.input.tags.contains("vip") }
unless { context.evidence.discharged.contains("vip-tags") };

@id("minors") forbid (principal, action == Action::"billing.refund", resource)
when { context.input.customer has age && context.input.customer.age * 1000 < 18000 };
`;
const set = loadTestPolicies(text, { unattended: ["billing.refund"] });

describe("[P11] a faulty input", () => {
  const valid = fc.record(
    {
      payment: fc.string(),
      cents: fc.oneof(fc.integer(), fc.maxSafeInteger()),
      express: fc.boolean(),
      tags: fc.array(fc.constantFrom("vip", "new")),
      customer: fc.record(
        { country: fc.constantFrom("DE", "XX"), age: fc.integer({ min: 0, max: 99 }) },
        { requiredKeys: ["country"] },
      ),
      ratio: fc.double({ noNaN: true, noDefaultInfinity: true }),
    },
    { requiredKeys: ["payment", "cents", "customer"] },
  ) as fc.Arbitrary<JsonObject>;
  const huge = fc.constantFrom(2 ** 53, 2 ** 60, 2 ** 63, -(2 ** 63), 1e300, 0.5, -0.1, Number.NaN, Infinity);
  const wrong: fc.Arbitrary<Json> = fc.oneof(
    fc.constantFrom(
      null,
      "\ud800",
      { __extn: { fn: "ip", arg: "x" } },
      { __entity: { type: "Person", id: "a" } },
    ),
    huge,
    fc.array(fc.constant(null), { minLength: 1, maxLength: 2 }),
  );
  const breaking = fc.oneof(
    fc.record({
      path: fc.constantFrom("payment", "cents", "customer", "customer.country"),
      value: fc.constant(undefined),
    }),
    fc.record({
      path: fc.constantFrom(
        "payment",
        "cents",
        "express",
        "tags",
        "customer",
        "customer.country",
        "customer.age",
      ),
      value: wrong,
    }),
  );
  const votes = fc.constantFrom(createApprovals(), createApprovals("bob"), createApprovals("bob", "eve"));
  const preview = fc.constantFrom<(Preview | undefined)[]>(undefined, singleChangePreview);

  it("blocks without throwing, and its ruling is never more permissive than that of the original input", () => {
    const seen = { allow: 0, check: 0, ask: 0, block: 0 };
    fc.assert(
      fc.property(valid, breaking, votes, preview, (input, fault, cast, shown) => {
        const asking = { votes: cast, ...(shown && { preview: shown }) };
        const before = ruleContract(set, refundContract, { ...asking, input });
        const after = ruleContract(set, refundContract, {
          ...asking,
          input: replaceValue(input, fault.path, fault.value),
        });
        seen[before.kind] += 1;
        expect(rankRuling(after)).toBeGreaterThanOrEqual(rankRuling(before));
        expect(after).toMatchObject({ kind: "block", code: "policy-error" });
      }),
      { numRuns: 600 },
    );
    // The property is meaningful only if every kind of ruling occurred before the faults.
    expect(Math.min(seen.allow, seen.ask, seen.block)).toBeGreaterThan(20);
  });

  it("blocks for any JSON value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (input) => {
        expect(ruleContract(set, refundContract, { input: input as Json })).toMatchObject({
          kind: "block",
          code: "policy-error",
        });
      }),
      { numRuns: 300 },
    );
  });

  it("keys that Cedar does not see do not change the ruling, whatever their values", () => {
    const unseen = fc.constantFrom("ratio", "note", "other", "__entity", "constructor", "toString");
    fc.assert(
      fc.property(valid, unseen, fc.jsonValue(), (input, key, value) => {
        const more = { ...input, [key]: value as Json };
        expect(ruleContract(set, refundContract, { input: more })).toEqual(
          ruleContract(set, refundContract, { input }),
        );
      }),
      { numRuns: 300 },
    );
  });

  it("an invalid preview blocks with a policy error", () => {
    for (const bad of [{}, { changes: [{}] }, { changes: [{ kind: 1, target: "\ud800" }] }]) {
      expect(ruleContract(set, refundContract, { preview: bad as unknown as Preview })).toMatchObject({
        code: "policy-error",
      });
    }
  });
});

it("[P10] error codes name paths, never values", () => {
  const input = {
    ...validRefundInput,
    cents: "secret-1",
    customer: { country: 7331 },
    tags: ["ok", ["secret-2"]],
  };
  const { errors } = set.evaluate({
    principal: sampleAgent,
    contract: refundContract,
    input,
    preview: undefined,
    discharged: [],
  });
  expect(errors).toEqual([
    "input-unfit:input.cents",
    "input-unfit:input.tags[]",
    "input-unfit:input.customer.country",
  ]);
});

it("an optional key that every object inherits is not read as present, and a missing key is reported", () => {
  const inherited = createContract("odd.keys", {
    input: z.object({ need: z.string(), constructor: z.string().optional() }),
  });
  const odd = loadTestPolicies("", { contracts: [inherited], unattended: ["odd.keys"] });
  const ask = (input: Json) =>
    odd.evaluate({ principal: sampleAgent, contract: inherited, input, preview: undefined, discharged: [] });
  expect(ask({ need: "a" })).toMatchObject({ decision: "allow", errors: [] });
  expect(ask({})).toMatchObject({ decision: "deny", errors: ["input-missing:input.need"] });
});

function replaceValue(input: JsonObject, path: string, value: Json | undefined): JsonObject {
  const [head = "", ...rest] = path.split(".");
  const { [head]: old, ...others } = input;
  if (rest.length > 0)
    return { ...others, [head]: replaceValue((old ?? {}) as JsonObject, rest.join("."), value) };
  return value === undefined ? others : { ...others, [head]: value };
}

function rankRuling({ kind }: Ruling): number {
  return ["allow", "check", "ask", "block"].indexOf(kind);
}
