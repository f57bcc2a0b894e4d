import { CapabilityError, defineCapability, type ExecutionContext, type Progress } from "@paraph/core";
import { expect, it } from "vitest";
import { z } from "zod";
import { parseTestInput, readFault } from "../testing.ts";
import { createRemoteFixture, createTestContext } from "./testing/fixture.ts";

const refund = (over: { seen?: (context: ExecutionContext) => void } = {}) =>
  defineCapability({
    name: "shop.refund",
    version: 1,
    summary: "Refund a payment",
    effect: "write",
    idempotency: "keyed",
    input: z.object({ payment: z.string(), cents: z.int().positive(), note: z.string().default("none") }),
    output: z.object({ id: z.string(), note: z.string() }),
    sensitive: ["payment"],
    locks: ({ payment }) => [`payment:${payment}`],
    cost: ({ cents }) => cents,
    spent: ({ cents }) => cents - 1,
    tokens: ({ cents }) => ({ input: cents, output: -1 }),
    preview: async ({ payment }) => ({
      changes: [{ kind: "update", target: payment, details: { was: "paid" } }],
      basis: { status: "captured" },
    }),
    apply: async ({ payment, note }, context) => {
      over.seen?.(context);
      context.progress({ message: "half-way", fraction: 0.5 });
      context.progress({ output: "a line\n" });
      return { id: `refund-of-${payment}`, note };
    },
    undo: (_, { id }) => ({ capability: "shop.charge_again", input: { refund: id } }),
  });
const hosted = (capability = refund()) => ({
  capabilities: [{ capability, locks: ["payment:{payment}"], cost: "cents" }],
});

it("a served capability has the contract, locks, cost, preview, output, price and undo of the local one", async () => {
  const local = refund();
  await using fixture = await createRemoteFixture(hosted(local));
  const capability = await fixture.capability("shop.refund");
  expect(capability.contract).toEqual(local.contract);
  expect(capability.contractDigest).toBe(local.contractDigest);
  const input = parseTestInput(capability, { payment: "p1", cents: 500 });
  expect(capability.locks(input)).toEqual(["shop:payment:p1"]);
  expect(capability.cost?.(input)).toBe(500);
  expect(await capability.preview?.(input, createTestContext())).toEqual({
    changes: [{ kind: "update", target: "p1", details: { was: "paid" } }],
    basis: { status: "captured" },
  });
  const output = capability.parseOutput(await capability.apply(input, createTestContext()));
  expect(output).toEqual({ kind: "valid", value: { id: "refund-of-p1", note: "none" } });
  if (output.kind !== "valid") return;
  expect(capability.undo?.(input, output.value)).toEqual({
    capability: "shop.charge_again",
    input: { refund: "refund-of-p1" },
  });
  expect(capability.spent?.(input, output.value)).toBe(499);
  expect(capability.tokens?.(input, output.value)).toEqual({ input: 500 });
});

it("the service receives principal, call, key, attempt and basis, and its progress returns in order", async () => {
  let context: ExecutionContext | undefined;
  await using fixture = await createRemoteFixture({
    ...hosted(refund({ seen: (executionContext) => (context = executionContext) })),
    credential: async (tenant, name) => `${tenant}'s ${name}`,
  });
  const capability = await fixture.capability("shop.refund");
  const said: Progress[] = [];
  const given = {
    call: "call-7",
    key: "call-7",
    attempt: 3,
    basis: { status: "captured" },
    approvers: [{ by: "ana", groups: ["owners"] }],
  };
  await capability.apply(
    { payment: "p", cents: 1 },
    createTestContext({ ...given, progress: (each) => said.push(each) }),
  );
  expect(context).toMatchObject({ ...given, tenant: "acme", principal: { id: "agent", kind: "agent" } });
  expect(await context?.credential("TOKEN")).toBe("acme's TOKEN");
  expect(said).toEqual([{ message: "half-way", fraction: 0.5 }, { output: "a line\n" }]);
});

it("[P8] an error of the service's code arrives with its kind, code, message and retry delay", async () => {
  const faulty = defineCapability({
    name: "shop.fail",
    version: 1,
    summary: "Fail",
    effect: "write",
    idempotency: "none",
    input: z.object({ how: z.string() }),
    output: z.object({}),
    apply: async ({ how }) => {
      if (how === "busy")
        throw new CapabilityError("not-performed", "till-busy", "The till is busy.", { retryAfterMs: 1_234 });
      if (how === "reset") throw Object.assign(new Error("gone"), { code: "ECONNRESET" });
      throw new TypeError("a bug");
    },
  });
  await using fixture = await createRemoteFixture({ capabilities: [faulty] });
  const capability = await fixture.capability("shop.fail");
  const fail = (how: string) => capability.apply({ how }, createTestContext());
  await expect(fail("busy")).rejects.toMatchObject({
    kind: "not-performed",
    code: "till-busy",
    message: "The till is busy.",
    retryAfterMs: 1_234,
  });
  expect(await readFault(fail("reset"))).toBe("ambiguous econnreset");
  expect(await readFault(fail("bug"))).toBe("ambiguous no-verdict");
});
