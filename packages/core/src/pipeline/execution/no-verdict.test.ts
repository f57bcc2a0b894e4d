import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createTestPipeline, testAgent, testTenant } from "../../../../../test/support/test-pipeline.ts";
import { defineCapability } from "../../capability/capability.ts";
import { Catalog } from "../../capability/catalog.ts";
import type { Effect, Idempotency } from "../../capability/contract.ts";
import { CapabilityError } from "../../capability/fault.ts";
import { ParaphError } from "../../paraph-error.ts";
import { createPlainPolicy } from "../../testing/plain-policy.ts";
import { admit } from "../admission/admit.ts";
import { advance } from "../advance.ts";

/** Runs a capability that acts and then throws this error. `found` is the answer of its probe. */
async function run(
  thrown: unknown,
  {
    effect = "write",
    idempotency = "none",
    found = "unsure" as "present" | "absent" | "unsure",
  }: {
    effect?: Effect;
    idempotency?: Idempotency;
    found?: "present" | "absent" | "unsure";
  } = {},
) {
  const { clock, store, ...pipeline } = await createTestPipeline("no-verdict");
  let effects = 0;
  const act = defineCapability({
    name: "own.act",
    version: 1,
    summary: "x",
    effect,
    idempotency,
    retry: { retries: 2 },
    input: z.object({}),
    output: z.object({}),
    apply: async () => {
      effects += 1;
      throw thrown;
    },
    ...(idempotency === "probe" && {
      probe: async () => (found === "present" ? { kind: found, output: {} } : { kind: found }),
    }),
  });
  const policy = createPlainPolicy({ "own.act": "allow" });
  const ports = pipeline.ports({ policy, catalog: new Catalog([act]) });
  const { call } = await admit({ principal: testAgent, capability: "own.act", input: {} }, ports);
  for (let turn = 0; turn < 20; turn += 1) {
    await clock.advance(60_000);
    for (const wake of store.sweepDue(clock.now())) await advance(wake, ports);
  }
  const { outcome } = (await store.load({ tenant: testTenant, call: call.call }))!;
  return { outcome: outcome?.kind, code: outcome?.code, effects };
}

const plain: [string, unknown][] = [
  ["an Error", new Error("after the charge")],
  ["a TypeError", new TypeError("cannot read properties of undefined")],
  ["an error with a code of its own", Object.assign(new Error("x"), { code: "card-declined" })],
  ["an error of a class of its own", new (class OrderError extends Error {})("x")],
  ["a text", "text"],
  ["nothing", undefined],
];

describe("[P8] an attempt that ends without a verdict", () => {
  it.each(plain)("has an unknown outcome and is not retried: %s", async (_, thrown) => {
    for (const idempotency of ["none", "natural", "keyed"] as const)
      expect(await run(thrown, { idempotency })).toMatchObject({ outcome: "unknown", effects: 1 });
    expect(await run(thrown, { effect: "destroy" })).toMatchObject({ outcome: "unknown", effects: 1 });
  });

  it("is resolved by the probe if the capability has one", async () => {
    const probed = (found: "present" | "absent" | "unsure") =>
      run(new Error("x"), { idempotency: "probe", found });
    expect(await probed("present")).toMatchObject({ outcome: "succeeded", effects: 1 });
    expect(await probed("unsure")).toMatchObject({ outcome: "unknown", code: "probe-unsure", effects: 1 });
    expect((await probed("absent")).effects).toBe(3);
  });

  it("has the code no-verdict unless the error has a code of its own", async () => {
    expect((await run(new Error("x"))).code).toBe("no-verdict");
    expect((await run(plain[2]![1])).code).toBe("card-declined");
  });

  it("fails instead for a read, a permanent CapabilityError, a ParaphError or an error with status 404", async () => {
    const read = await run(new Error("x"), { effect: "read", idempotency: "natural" });
    expect(read).toMatchObject({ outcome: "failed", effects: 1 });
    const refusals = [
      new CapabilityError("permanent", "no-funds", "x"),
      new ParaphError("input-invalid", "x"),
      Object.assign(new Error("x"), { status: 404 }),
    ];
    for (const thrown of refusals) expect((await run(thrown)).outcome).toBe("failed");
  });
});
