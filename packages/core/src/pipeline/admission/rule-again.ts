import type { Call } from "../../call.ts";
import type { Capability, Preview } from "../../capability/capability.ts";
import { Catalog } from "../../capability/catalog.ts";
import type { Json } from "../../json.ts";
import type { Vote } from "../../policy/evidence.ts";
import type { Environment, Guard, PolicySet } from "../../policy/policy.ts";
import type { Ruling } from "../../policy/ruling.ts";
import type { Ports } from "../../ports.ts";
import type { Principal } from "../../principal.ts";
import { CallLinks } from "../../receipts/call-links.ts";
import { draftCall } from "./draft.ts";
import { draftSteps } from "./preview-steps.ts";
import { rulePlan } from "./rule-plan.ts";

/** A question about a call of the past, as it was put to policy then. */
export interface PastQuestion {
  readonly principal: Principal;
  readonly input: Json;
  readonly requirements: readonly Guard[];
  readonly preview: Preview | undefined;
  readonly env?: Environment;
  /** Those that counted before anybody was asked: of a step, the votes for its plan. */
  readonly votes: readonly Vote[];
}

/**
 * What a set of policies says of a call of the past: the same code that ruled on it then, with its steps and the votes for
 * its plan. A text says why it cannot be put to policy again.
 */
export async function ruleAgain(
  question: PastQuestion,
  capability: Capability,
  bench: {
    readonly set: PolicySet;
    readonly confirm: boolean;
    readonly capability: (name: string) => Capability | undefined;
  },
): Promise<Ruling | "contract-changed" | "environment-not-recorded"> {
  const { principal, input, requirements, preview, votes, env } = question;
  const ports = portsOf(bench, env);
  const request = { principal, capability: capability.contract.name, input };
  let call: Call;
  try {
    // The record holds the input as it was parsed, and every requirement: neither is made again.
    const payloads = { input: { salt: "00", value: input } };
    call = { ...draftCall(request, capability, "", ports), requirements, payloads };
    const steps = capability.steps ? draftSteps(call, capability, ports) : [];
    if (!env && steps.some((one) => bench.set.readsEnvironment(one.capability.contract)))
      return "environment-not-recorded";
  } catch {
    return "contract-changed";
  }
  return (await rulePlan(call, capability, { preview, votes }, ports)).ruling;
}

/** Policy, capabilities and the moment of then; no grants, since those of then are not kept. */
function portsOf(
  { set, confirm, capability }: Parameters<typeof ruleAgain>[2],
  env: Environment | undefined,
): Ports {
  const { at = 0, ...usage } = env ?? {};
  const catalog = new Catalog();
  catalog.find = (_tenant, name) => capability(name);
  return {
    // What was recorded of the moment is what policy sees of it.
    policy: {
      current: () => ({ ...set, readsEnvironment: () => env !== undefined }),
      refresh: async () => {},
    },
    catalog,
    store: { grants: async () => [], usage: async () => usage },
    settings: { stance: { mode: "enforce", confirm } },
    clock: { now: () => at },
    // Nothing of it is written.
    links: new CallLinks(),
    sealer: { seal: () => "", isSealed: () => false },
    random: { salt: () => "00", id: (prefix: string) => `${prefix}_again` },
  } as unknown as Ports;
}
