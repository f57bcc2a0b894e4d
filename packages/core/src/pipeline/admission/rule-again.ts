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
import { draftCallForRuling } from "../ruling/draft.ts";
import { draftSteps } from "../ruling/preview-steps.ts";
import { rulePlan } from "../ruling/rule-plan.ts";

/** The question that policy answered about an earlier call. */
export interface PastQuestion {
  readonly principal: Principal;
  readonly input: Json;
  readonly requirements: readonly Guard[];
  readonly preview: Preview | undefined;
  readonly env?: Environment;
  /** The votes that counted before Paraph asked people. For a step, these are the votes for its plan. */
  readonly votes: readonly Vote[];
}

/**
 * Returns how a policy set rules on an earlier call. Runs the same code as the earlier ruling, with the call's steps
 * and the votes for its plan. Returns a code for the reason if policy cannot rule on the call again.
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
    // The record holds the parsed input and every requirement, so neither is computed again.
    const payloads = { input: { salt: "00", value: input } };
    call = { ...draftCallForRuling(request, capability, "", ports), requirements, payloads };
    const steps = capability.steps ? draftSteps(call, capability, ports) : [];
    if (!env && steps.some((one) => bench.set.readsEnvironment(one.capability.contract)))
      return "environment-not-recorded";
  } catch {
    return "contract-changed";
  }
  return (await rulePlan(call, capability, { preview, votes }, ports)).ruling;
}

/**
 * Returns ports with the given policy set and capabilities, and with the environment of the earlier ruling. The ports
 * contain no grants, because Paraph does not keep the grants of that time.
 */
function portsOf(
  { set, confirm, capability }: Parameters<typeof ruleAgain>[2],
  env: Environment | undefined,
): Ports {
  const { at = 0, ...usage } = env ?? {};
  const catalog = new Catalog();
  catalog.find = (_tenant, name) => capability(name);
  return {
    // Policy sees exactly the environment that was recorded.
    policy: {
      current: () => ({ ...set, readsEnvironment: () => env !== undefined }),
      refresh: async () => {},
    },
    catalog,
    store: { grants: async () => [], usage: async () => usage },
    settings: { enforcement: { mode: "enforce", confirm } } satisfies Partial<Ports["settings"]>,
    clock: { now: () => at },
    // Nothing of this is written.
    links: new CallLinks(),
    sealer: { seal: () => "", isSealed: () => false },
    random: { salt: () => "00", id: (prefix: string) => `${prefix}_again` },
  } as unknown as Ports;
}
