import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ParaphError } from "../paraph-error.ts";
import { type CapabilityDefinition, defineCapability } from "./capability.ts";

const sound = {
  name: "billing.refund",
  version: 1,
  summary: "Refund a payment",
  effect: "write",
  idempotency: "keyed",
  input: z.object({ payment: z.string(), cents: z.int().positive().default(100) }),
  output: z.object({ refundId: z.string() }),
  apply: async () => ({ refundId: "r1" }),
} as const satisfies CapabilityDefinition<z.ZodType, z.ZodType>;

describe("defineCapability", () => {
  it("fills in the defaults of the contract", () => {
    const { contract } = defineCapability(sound);
    expect(contract).toMatchObject({
      risk: "medium",
      previews: false,
      sensitive: [],
      timeoutMs: 30_000,
      applyWithinMs: 3_600_000,
      keyTtlMs: 23 * 3_600_000,
      retry: { retries: 3, firstMs: 500, factor: 2, capMs: 30_000, jitter: 0.25 },
    });
  });

  it("[P11] names every fault of a definition in one error", () => {
    const broken = {
      name: "Refund",
      version: 0,
      summary: " ",
      effect: "smash",
      risk: "extreme",
      idempotency: "probe",
      input: "not a schema",
      output: undefined,
      sensitive: ["iban"],
      timeout: "soon",
      applyWithin: "1 fortnight",
      retry: { retries: -1 },
      apply: "later",
    } as unknown as CapabilityDefinition<z.ZodType, z.ZodType>;
    const message = refusal(broken);
    for (const field of [
      ...["name", "version", "summary", "effect", "risk", "probe", "input", "output"],
      ...["sensitive", "timeout", "applyWithin", "retry.retries", "apply"],
    ])
      expect(message).toContain(`\n  - ${field}: `);
  });

  it.each<[string, object, string]>([
    [
      "a read that is not natural",
      { effect: "read", idempotency: "keyed" },
      "idempotency: must be `natural` for a read",
    ],
    [
      "a read with an undo",
      { effect: "read", idempotency: "natural", undo: () => undefined },
      "undo: remove it",
    ],
    ["a probe without its code", { idempotency: "probe" }, "probe: "],
    ["a time-out beyond the engine's patience", { timeout: "11m" }, "timeout: "],
    ["no time at all", { timeout: "0s" }, "timeout: "],
    ["a wait that is no span of time", { retry: { first: "soon" } }, "retry: "],
    ["a wait that is no function", { retry: { wait: "5s" } }, "retry.wait: "],
    ["half a retry", { retry: { retries: 1.5 } }, "retry.retries: "],
    ["no name", { name: undefined }, "name: write it as"],
    ["a name that is too long", { name: `a.${"b".repeat(127)}` }, "name: at most 128"],
    ["a schema without a JSON form", { input: z.date() }, "input: must be a zod schema"],
  ])("refuses %s", (_name, change, fault) => {
    expect(refusal({ ...sound, ...change } as never)).toContain(`\n  - ${fault}`);
  });

  it("[P11] rejects apply, probe, locks and idempotency other than none for the performer agent, and names each", () => {
    const own = { performer: "agent", idempotency: "none", apply: undefined } as const;
    const { contract } = defineCapability({ ...sound, ...own });
    expect(contract.performer).toBe("agent");
    expect(defineCapability(sound).contract).not.toHaveProperty("performer");
    const message = refusal({
      ...sound,
      performer: "agent",
      idempotency: "probe",
      probe: async () => ({ kind: "absent" }),
      locks: () => [],
    } as never);
    for (const field of ["apply", "probe", "locks", "idempotency"])
      expect(message).toContain(`\n  - ${field}: `);
    expect(refusal({ ...sound, performer: "somebody" } as never)).toContain("\n  - performer: ");
  });

  it("[P11] rejects what a composite cannot promise, because only its steps act", () => {
    const composite = { ...sound, apply: undefined, compose: async () => ({ refundId: "r1" }) };
    const { contract, apply } = defineCapability({ ...composite, idempotency: "natural", steps: () => [] });
    expect(contract).toMatchObject({ composite: true, previews: true });
    expect(apply).toBeInstanceOf(Function);
    const message = refusal({
      ...composite,
      apply: sound.apply,
      probe: async () => ({ kind: "absent" }),
      undo: () => undefined,
      answer: () => z.string(),
    } as never);
    for (const field of ["apply", "probe", "idempotency", "undo", "answer"])
      expect(message).toContain(`\n  - ${field}: `);
  });

  it("[P11] never performs a capability that the agent performs", async () => {
    const own = { ...sound, performer: "agent", idempotency: "none", apply: undefined } as const;
    await expect(defineCapability(own).apply({}, {} as never)).rejects.toMatchObject({
      kind: "not-performed",
      code: "agent-performs",
    });
  });

  it("rejects a value if the schema's own code fails on it", () => {
    const input = z.object({ at: z.string() }).refine(() => {
      throw new Error("canary");
    });
    expect(defineCapability({ ...sound, input }).parseInput({ at: "x" })).toEqual({
      kind: "invalid",
      faults: ["(the whole): the code of the schema failed, or its result is not JSON"],
    });
  });

  it("an output of nothing is null", () => {
    const nothing = defineCapability({ ...sound, output: z.any(), apply: async () => undefined });
    expect(nothing.parseOutput(undefined)).toEqual({ kind: "valid", value: null });
  });

  it("accepts sensitive fields at any depth, also inside arrays", () => {
    const input = z.object({ to: z.array(z.object({ iban: z.string() })) });
    expect(
      defineCapability({ ...sound, input, sensitive: ["to.iban", "refundId"] }).contract.sensitive,
    ).toEqual(["to.iban", "refundId"]);
  });

  it("[P1] the digest of a contract depends on its data and not on its code", () => {
    const base = defineCapability(sound).contractDigest;
    expect(defineCapability({ ...sound, apply: async () => ({ refundId: "r2" }) }).contractDigest).toBe(base);
    expect(defineCapability({ ...sound, timeout: "31s" }).contractDigest).not.toBe(base);
  });

  it("parses input with defaults, and reports the field of an invalid value but never the value", () => {
    const { parseInput } = defineCapability(sound);
    expect(parseInput({ payment: "p1" })).toEqual({ kind: "valid", value: { payment: "p1", cents: 100 } });
    const parsed = parseInput({ payment: "secret-iban", cents: -5 });
    expect(parsed.kind).toBe("invalid");
    expect(JSON.stringify(parsed)).toContain("cents: ");
    expect(JSON.stringify(parsed)).not.toContain("secret-iban");
    expect(parseInput({ cents: 1 })).toEqual({ kind: "invalid", faults: ["payment is missing"] });
  });

  it("removes duplicate lock keys and sorts them", () => {
    const { locks } = defineCapability({ ...sound, locks: ({ payment }) => ["b", payment, "b", "a"] });
    expect(locks({ payment: "c", cents: 1 })).toEqual(["a", "b", "c"]);
  });

  it("returns a frozen object", () => {
    expect(Object.isFrozen(defineCapability(sound))).toBe(true);
  });
});

function refusal(definition: CapabilityDefinition<z.ZodType, z.ZodType>): string {
  try {
    defineCapability(definition);
  } catch (error) {
    expect(error).toBeInstanceOf(ParaphError);
    expect((error as ParaphError).code).toBe("capability-invalid");
    return (error as ParaphError).message;
  }
  throw new Error("the definition was accepted");
}
