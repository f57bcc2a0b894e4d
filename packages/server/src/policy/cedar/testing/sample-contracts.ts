import {
  type CheckResult,
  type Contract,
  checkInput,
  checkResult,
  defineCapability,
  type Environment,
  type Grant,
  type Json,
  type PerformedByParaph,
  type Preview,
  type Principal,
  rule,
  type Vote,
} from "@paraph/core";
import { z } from "zod";
import { type ClosureTrust, createClosureTrust } from "../evaluation/closures/closure-trust.ts";
import {
  assemblePolicyDocument,
  createCedarPolicy,
  loadPolicies,
  PolicyLoadError,
  type PolicyOptions,
} from "../index.ts";

/** This file holds contracts of every effect and risk, for the tests of this folder. */

type Definition = PerformedByParaph<z.ZodType, z.ZodType>;

export function createContract(name: string, options: Partial<Definition>): Contract {
  const effect = options.effect ?? "write";
  return defineCapability({
    name,
    version: 1,
    summary: `Does ${name}`,
    effect,
    idempotency: "natural",
    input: z.object({}),
    output: z.object({}),
    apply: async () => ({}),
    ...options,
  }).contract;
}

const refundInput = z.object({
  payment: z.string(),
  cents: z.int(),
  express: z.boolean().optional(),
  tags: z.array(z.string()).optional(),
  customer: z.object({ country: z.string(), age: z.int().optional() }),
  ratio: z.number().optional(),
  note: z.union([z.string(), z.int()]).optional(),
});

export const listContract = createContract("files.list", {
  effect: "read",
  input: z.object({ folder: z.string() }),
});
export const writeContract = createContract("files.write", { input: z.object({ path: z.string() }) });
export const removeContract = createContract("files.remove", {
  effect: "destroy",
  input: z.object({ path: z.string() }),
});
export const refundContract = createContract("billing.refund", { input: refundInput });
export const deployContract = createContract("ops.deploy", { risk: "critical" });
export const restartContract = createContract("ops.restart", { risk: "high" });
export const checkContracts = ["check.secrets", "check.syntax"].map((name) =>
  createContract(name, { effect: "read", input: checkInput, output: checkResult }),
);
export const sampleContracts = [
  listContract,
  writeContract,
  removeContract,
  refundContract,
  deployContract,
  restartContract,
  ...checkContracts,
];

export const sampleAgent: Principal = { tenant: "acme", id: "helper", kind: "agent", owner: "anna" };
export const sampleService: Principal = { tenant: "acme", id: "nightly", kind: "service" };
export const anna: Principal = { tenant: "acme", id: "anna", kind: "person" };

export const singleChangePreview: Preview = { changes: [{ kind: "update", target: "/srv/a" }], basis: {} };

export const mondayEnvironment: Environment = {
  at: Date.UTC(2026, 10, 16, 9, 30),
  callsLastHour: 3,
  callsLastDay: 20,
  deniedLastHour: 1,
  spentToday: 0,
};

/** Loads the preset `balanced` and this text (default: no text). `options` can replace the preset and the trust. */
export function loadTestPolicies(
  text = "",
  options: PolicyOptions & { readonly contracts?: readonly Contract[]; readonly trust?: ClosureTrust } = {},
) {
  const sources = text ? [{ file: "mine.cedar", text }] : [];
  const { contracts = sampleContracts, trust, ...more } = options;
  return loadPolicies(assemblePolicyDocument({ sources, ...more }), contracts, trust);
}

/** Creates the trust of a process in which only Cedar evaluates policies. */
export function createWithdrawnTrust(): ClosureTrust {
  const trust = createClosureTrust();
  trust.withdraw();
  return trust;
}

export function createApprovals(...people: string[]): Vote[] {
  return people.map((by) => ({ by, decision: "approve", as: "approver" }));
}

interface RuleContractOptions {
  readonly principal?: Principal;
  readonly input?: Json;
  readonly preview?: Preview;
  readonly env?: Environment;
  readonly votes?: readonly Vote[];
  readonly checks?: readonly CheckResult[];
  readonly grants?: readonly Grant[];
}

/** Returns the core's ruling on a contract with this set. */
export function ruleContract(
  set: ReturnType<typeof loadTestPolicies>,
  asked: Contract,
  asking: RuleContractOptions = {},
) {
  const {
    principal = sampleAgent,
    input = sampleInputs[asked.name] ?? {},
    preview,
    env,
    ...evidence
  } = asking;
  const subject = { principal, contract: asked, input, preview, ...(env && { env }) };
  return rule(createCedarPolicy(set), subject, { votes: [], ...evidence });
}

export const validRefundInput = {
  payment: "p-1",
  cents: 500,
  express: true,
  tags: ["vip"],
  customer: { country: "DE", age: 40 },
  ratio: 0.5,
  note: "n",
};

const sampleInputs: Record<string, Json> = {
  "files.list": { folder: "/srv" },
  "files.write": { path: "/srv/a" },
  "files.remove": { path: "/srv/a" },
  "billing.refund": validRefundInput,
};

/** Returns the faults that prevent a text from loading. */
export function listLoadFaults(text: string): string[] {
  const message = captureLoadMessage(() => loadTestPolicies(text));
  return message.split("\n  - ").slice(1);
}

export function captureLoadMessage(body: () => unknown): string {
  try {
    body();
  } catch (error) {
    if (error instanceof PolicyLoadError) return error.message;
    throw error;
  }
  throw new Error("nothing was refused");
}
