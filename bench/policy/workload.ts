import {
  type Contract,
  defineCapability,
  type Environment,
  type Evidence,
  type PolicySet,
  type Principal,
  type Subject,
} from "@paraph/core";
import { z } from "zod";
import { assemblePolicyDocument, type PolicyDocument } from "../../packages/server/src/policy/cedar/index.ts";

const adapters = 20;
const capabilities = 200;

const input = z.object({
  cents: z.int(),
  path: z.string(),
  recipients: z.array(z.string()),
  customer: z.object({ country: z.string(), vip: z.boolean().optional() }),
});

/** Two hundred capabilities of twenty adapters. A third are reads, and a few have a high risk. */
export const benchContracts: readonly Contract[] = Array.from({ length: capabilities }, (_, i) => {
  const effect = i % 3 === 0 ? "read" : i % 17 === 0 ? "destroy" : "write";
  return defineCapability({
    name: `${toAdapterName(i)}.do_${i}`,
    version: 1,
    summary: "Does something",
    effect,
    idempotency: "natural",
    input,
    output: z.object({}),
    apply: async () => ({}),
    ...(i % 23 === 0 && { risk: "high" as const }),
  }).contract;
});

/**
 * Builds policies as a security team writes them: a few for all principals, some per adapter, most about one capability
 * each.
 */
export function buildPolicyDocument(policies: number): PolicyDocument {
  const preset = assemblePolicyDocument();
  const own = policies - (preset.preset.text.match(/^@id/gm)?.length ?? 0);
  const texts = Array.from({ length: own }, (_, i) => buildPolicy(i));
  const unattended = benchContracts.flatMap(({ name, effect }, i) =>
    effect === "write" && i % 2 ? [name] : [],
  );
  return assemblePolicyDocument({ sources: [{ file: "bench.cedar", text: texts.join("\n") }], unattended });
}

function buildPolicy(i: number): string {
  if (i === 0) return buildForbid(i, "action", 'when { principal in Group::"suspended" }');
  if (i % 10 === 1) return buildAdapterPolicy(i);
  // Seven and two hundred have no common divisor, so every capability gets policies.
  const action = `action == Action::"${benchContracts[(i * 7) % capabilities]!.name}"`;
  return buildForbid(i, action, conditions[i % conditions.length]!(i));
}

function buildAdapterPolicy(i: number): string {
  const action = `action in Action::"adapter:${toAdapterName(Math.floor(i / 10))}"`;
  return i % 20 === 1
    ? buildForbid(i, action, 'when { principal in Group::"interns" }')
    : buildGuard(i, action, 'when { principal is Agent && !(principal in Group::"trusted") }');
}

const conditions: readonly ((i: number) => string)[] = [
  (i) => `when { context.input.cents > ${100_000 + i} }`,
  () => 'when { context.input.path like "/etc/*" }',
  () => 'when { context.input.customer.country == "XX" }',
  () => 'when { context.input.recipients.contains("all@example.com") }',
  () => "when { context has preview && context.preview.changes > 50 }",
  () => 'when { principal in Group::"contractors" }',
  () => "when { context.env.hour < 6 && principal is Agent }",
  (i) => `when { context.env.callsLastHour > ${500 + i} }`,
];

function buildForbid(i: number, action: string, condition: string): string {
  return `@id("p${i}") forbid (principal, ${action}, resource) ${condition};`;
}

function buildGuard(i: number, action: string, condition: string): string {
  const lift = `unless { context.evidence.discharged.contains("p${i}") }`;
  const annotations = `@ruling("ask") @quorum("1") @urgency("high") @sentence("Because.")`;
  return `@id("p${i}") ${annotations} forbid (principal, ${action}, resource) ${condition} ${lift};`;
}

function toAdapterName(i: number): string {
  return `system${i % adapters}`;
}

/** Draws a random subject and its evidence. `chance` is the source of randomness. */
export function drawQuestion(set: PolicySet, chance: () => number): { subject: Subject; evidence: Evidence } {
  const below = (count: number) => Math.floor(chance() * count);
  const contract = benchContracts[below(capabilities)]!;
  const env: Environment = {
    at: 1_794_821_400_000 + below(86_400_000),
    callsLastHour: below(200),
    callsLastDay: below(2_000),
    deniedLastHour: 0,
    spentToday: below(10_000),
  };
  const preview = {
    changes: Array.from(
      { length: 1 + below(3) },
      (_, i) => ({ kind: "update", target: `row:${i}` }) as const,
    ),
    basis: {},
  };
  const subject: Subject = {
    principal: createPrincipal(below(500)),
    contract,
    input: {
      cents: below(5_000),
      path: `/srv/${below(1_000)}`,
      recipients: [`user${below(50)}@example.com`],
      customer: { country: "DE" },
    },
    preview: contract.effect === "read" ? undefined : preview,
    ...(set.readsEnvironment(contract) && { env }),
  };
  const votes = below(10) === 0 ? [{ by: "ana", decision: "approve", as: "approver" } as const] : [];
  return { subject, evidence: { votes } };
}

function createPrincipal(i: number): Principal {
  const groups = Array.from({ length: i % 12 }, (_, n) => `team-${(i + n) % 40}`);
  const kind = (["agent", "agent", "agent", "service", "person"] as const)[i % 5]!;
  const trusted = i % 4 === 0 ? ["trusted"] : [];
  return { tenant: "acme", id: `p${i}`, kind, owner: `o${i % 30}`, groups: [...groups, ...trusted] };
}
