import { z } from "zod";
import type { Call } from "../../packages/core/src/call.ts";
import { defineCapability } from "../../packages/core/src/capability/capability.ts";
import { Catalog } from "../../packages/core/src/capability/catalog.ts";
import type { Json } from "../../packages/core/src/json.ts";
import { admit } from "../../packages/core/src/pipeline/admission/admit.ts";
import { advance } from "../../packages/core/src/pipeline/advance.ts";
import { decide } from "../../packages/core/src/pipeline/approval/decide.ts";
import type { CallRequest } from "../../packages/core/src/pipeline/ruling/draft.ts";
import { checkInput, checkResult } from "../../packages/core/src/policy/check.ts";
import type { Guard, Policy, PolicySet } from "../../packages/core/src/policy/policy.ts";
import type { Ports } from "../../packages/core/src/ports.ts";
import type { Principal } from "../../packages/core/src/principal.ts";
import { createPerson, createTestPipeline, testAgent, testTenant } from "./test-pipeline.ts";

/** Returns a policy whose guards apply to every call until evidence satisfies them. */
export function guarded(
  guards: readonly Guard[],
  policySet: Partial<PolicySet> = {},
): Policy & { become(set: PolicySet): void } {
  const set = (version: string): PolicySet => ({
    version,
    guards: new Map(guards.map((guard) => [guard.id, guard])),
    unattended: new Set(["permitted"]),
    readsEnvironment: () => false,
    evaluate({ discharged }) {
      const left = guards.filter(({ id }) => !discharged.includes(id)).map(({ id }) => id);
      return left.length > 0
        ? { decision: "deny", policies: left, errors: [] }
        : { decision: "allow", policies: ["permitted"], errors: [] };
    },
    ...policySet,
  });
  let current = set("v1");
  return {
    current: () => current,
    refresh: async () => {
      current = set("v2");
    },
    become: (next) => {
      current = next;
    },
  };
}

export const ask = (given: Partial<Guard> = {}): Guard => ({
  id: "asked",
  ruling: "ask",
  quorum: 1,
  urgency: "normal",
  sentence: "Somebody should look.",
  ...given,
});
export const checkGuard = (given: Partial<Guard> = {}): Guard =>
  ask({ id: "checked", ruling: "check", checks: ["check.words"], onFail: "refuse", ...given });

/** Creates a pipeline with a payment, a check and a read, whose behaviour a test controls. */
export async function bench(
  policy: Policy,
  given: { settings?: Partial<Ports["settings"]> } & Partial<Omit<Ports, "settings">> = {},
) {
  const pipeline = await createTestPipeline("governance");
  const world = {
    basis: 1,
    effects: 0,
    checks: 0,
    checksFail: false,
    hold: undefined as Promise<void> | undefined,
  };
  const { settings, ...own } = given;
  const spend = defineCapability({
    name: "billing.pay",
    version: 1,
    summary: "Pays",
    effect: "write",
    idempotency: "natural",
    input: z.object({ words: z.string().default(""), cents: z.int().default(0) }),
    output: z.object({ paid: z.int() }),
    preview: async () => ({ changes: [], basis: { is: world.basis } }),
    apply: async ({ cents }) => {
      await world.hold;
      world.effects += 1;
      return { paid: cents };
    },
    cost: ({ cents }) => cents,
    spent: (_, { paid }) => paid,
  });
  const words = defineCapability({
    name: "check.words",
    version: 1,
    summary: "Looks at the words",
    effect: "read",
    idempotency: "natural",
    input: checkInput,
    output: checkResult,
    apply: async ({ input }) => {
      world.checks += 1;
      if (world.checksFail) throw new Error("the checker is away");
      const bad = (input as { words: string }).words.includes("bad");
      return {
        passed: !bad,
        score: bad ? 10 : 90,
        findings: bad ? [{ code: "bad-word", sentence: "A bad word." }] : [],
      };
    },
  });
  const read = defineCapability({
    name: "billing.list",
    version: 1,
    summary: "Lists",
    effect: "read",
    idempotency: "natural",
    input: z.object({}),
    output: z.object({}),
    apply: async () => {
      world.effects += 1;
      return {};
    },
  });
  const catalog = new Catalog([spend, words, read]);
  const plain = pipeline.ports({ policy, catalog, ...own });
  const ports: Ports = { ...plain, settings: { ...plain.settings, ...settings } };
  const load = async ({ call }: Pick<Call, "call">) =>
    (await pipeline.store.load({ tenant: testTenant, call }))!;
  return {
    ...pipeline,
    ports,
    world,
    load,
    ask: async (input: Record<string, Json> = {}, more: Partial<CallRequest> = {}) =>
      (await admit({ principal: testAgent, capability: "billing.pay", input, ...more }, ports)).call,
    async advance(call: Pick<Call, "call">) {
      await advance({ tenant: testTenant, call: call.call }, ports);
      return load(call);
    },
    async approve(call: Call, voter: Principal = createPerson("ana")) {
      const { id, digest } = call.approval!;
      return (await decide({ approval: id, decision: "approve", voter, digest }, ports)).call;
    },
    kinds: async (call: Pick<Call, "call">) => (await load(call)).events.map(({ kind }) => kind),
  };
}
