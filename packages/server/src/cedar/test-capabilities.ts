import {
  type Contract,
  defineCapability,
  type Json,
  type Preview,
  type Principal,
  rule,
  type Vote,
} from "@paraph/core";
import { z } from "zod";
import { cedarPolicy, type LoadOptions, loadPolicies } from "./index.ts";

/** Contracts of every effect and risk, for the tests of this folder. */

type Definition = Parameters<typeof defineCapability>[0];

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
export const contracts = [list, write, remove, refund, deploy, restart];

export const agent: Principal = { tenant: "acme", id: "helper", kind: "agent", owner: "anna" };
export const service: Principal = { tenant: "acme", id: "nightly", kind: "service" };
export const anna: Principal = { tenant: "acme", id: "anna", kind: "person" };

export const oneChange: Preview = { changes: [{ kind: "update", target: "/srv/a" }], basis: {} };

export function load(text = "", options: Partial<LoadOptions> = {}) {
  const sources = text ? [{ file: "mine.cedar", text }] : [];
  return loadPolicies({ contracts, preset: "balanced", sources, ...options });
}

export function yes(...people: string[]): Vote[] {
  return people.map((by) => ({ by, decision: "approve", as: "approver" }));
}

interface Asking {
  readonly principal?: Principal;
  readonly input?: Json;
  readonly preview?: Preview;
  readonly votes?: readonly Vote[];
}

/** What core makes of a set's answer. */
export function ruling(set: ReturnType<typeof load>, asked: Contract, asking: Asking = {}) {
  const { principal = agent, input = sampleInputs[asked.name] ?? {}, preview, votes = [] } = asking;
  return rule(cedarPolicy(set), { principal, contract: asked, input, preview }, votes);
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
