import type { Call } from "../call.ts";
import { CallLinks } from "../call-links.ts";
import type { Capability, Preview } from "../capability.ts";
import { Catalog } from "../catalog.ts";
import type { Vote } from "../evidence.ts";
import type { Json } from "../json.ts";
import type { Environment, Guard, PolicySet } from "../policy.ts";
import type { Ports } from "../ports.ts";
import type { Principal } from "../principal.ts";
import type { Ruling } from "../ruling.ts";
import { draft } from "./draft.ts";
import { plannedSteps } from "./foresee.ts";
import { judgeWhole } from "./judge-whole.ts";

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
    call = { ...draft(request, capability, "", ports), requirements, payloads };
    const steps = capability.steps ? plannedSteps(call, capability, ports) : [];
    if (!env && steps.some((one) => bench.set.readsEnvironment(one.capability.contract)))
      return "environment-not-recorded";
  } catch {
    return "contract-changed";
  }
  return (await judgeWhole(call, capability, { preview, votes }, ports)).ruling;
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
