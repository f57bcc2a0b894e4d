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
import { cedarPolicy, loadPolicies, PolicyLoadError, type PolicyOptions, policyDocument } from "./index.ts";

/** Contracts of every effect and risk, for the tests of this folder. */

type Definition = PerformedByParaph<z.ZodType, z.ZodType>;

export function contract(name: string, options: Partial<Definition>): Contract {
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

export const list = contract("files.list", { effect: "read", input: z.object({ folder: z.string() }) });
export const write = contract("files.write", { input: z.object({ path: z.string() }) });
export const remove = contract("files.remove", { effect: "destroy", input: z.object({ path: z.string() }) });
export const refund = contract("billing.refund", { input: refundInput });
export const deploy = contract("ops.deploy", { risk: "critical" });
export const restart = contract("ops.restart", { risk: "high" });
export const checks = ["check.secrets", "check.syntax"].map((name) =>
  contract(name, { effect: "read", input: checkInput, output: checkResult }),
);
export const contracts = [list, write, remove, refund, deploy, restart, ...checks];

export const agent: Principal = { tenant: "acme", id: "helper", kind: "agent", owner: "anna" };
export const service: Principal = { tenant: "acme", id: "nightly", kind: "service" };
export const anna: Principal = { tenant: "acme", id: "anna", kind: "person" };

export const oneChange: Preview = { changes: [{ kind: "update", target: "/srv/a" }], basis: {} };

export const monday: Environment = {
  at: Date.UTC(2026, 10, 16, 9, 30),
  callsLastHour: 3,
  callsLastDay: 20,
  deniedLastHour: 1,
  spentToday: 0,
};

/** A set of the preset `balanced` with this text on top, unless told otherwise. */
export function load(text = "", options: PolicyOptions & { readonly contracts?: readonly Contract[] } = {}) {
  const sources = text ? [{ file: "mine.cedar", text }] : [];
  const { contracts: known = contracts, ...more } = options;
  return loadPolicies(policyDocument({ sources, ...more }), known);
}

export function yes(...people: string[]): Vote[] {
  return people.map((by) => ({ by, decision: "approve", as: "approver" }));
}

interface Asking {
  readonly principal?: Principal;
  readonly input?: Json;
  readonly preview?: Preview;
  readonly env?: Environment;
  readonly votes?: readonly Vote[];
  readonly checks?: readonly CheckResult[];
  readonly grants?: readonly Grant[];
}

/** What core makes of a set's answer. */
export function ruling(set: ReturnType<typeof load>, asked: Contract, asking: Asking = {}) {
  const { principal = agent, input = sampleInputs[asked.name] ?? {}, preview, env, ...evidence } = asking;
  const subject = { principal, contract: asked, input, preview, ...(env && { env }) };
  return rule(cedarPolicy(set), subject, { votes: [], ...evidence });
}

export const validRefund = {
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
  "billing.refund": validRefund,
};

/** The faults that keep a text from being loaded. */
export function faultsOf(text: string): string[] {
  const message = messageOf(() => load(text));
  return message.split("\n  - ").slice(1);
}

export function messageOf(body: () => unknown): string {
  try {
    body();
  } catch (error) {
    if (error instanceof PolicyLoadError) return error.message;
    throw error;
  }
  throw new Error("nothing was refused");
}
