import { type Call, callInput } from "../../call.ts";
import type { Capability, Preview } from "../../capability/capability.ts";
import { adapterName } from "../../capability/contract.ts";
import { listEditors } from "../../editors.ts";
import type { NewEvent } from "../../event.ts";
import { adminAdapter } from "../../freeze.ts";
import type { JsonObject } from "../../json.ts";
import type { CheckResult } from "../../policy/check.ts";
import type { Evidence, Vote } from "../../policy/evidence.ts";
import type { Environment } from "../../policy/policy.ts";
import { rule } from "../../policy/rule.ts";
import type { Enforcement, Ruling, Subject } from "../../policy/ruling.ts";
import type { Ports } from "../../ports.ts";
import { commitment } from "../../receipts/digest.ts";
import { isGrantProven } from "../../receipts/sealed-grant.ts";
import type { NewPayload } from "../../store.ts";
import { createPayload } from "../close.ts";
import { callCost } from "../gate.ts";

/**
 * A ruling and its policy request. The request holds the part of policy's question that the input and the preview do
 * not hold.
 */
export interface RuledCall<R extends Ruling = Ruling> {
  readonly ruling: R;
  readonly request: JsonObject;
}

/** The facts that a ruling may use besides the call itself. */
export interface RulingInput {
  readonly preview: Preview | undefined;
  readonly votes?: readonly Vote[];
  readonly checks?: readonly CheckResult[];
  /**
   * Whether grants are left out. Only a ruling that leads to an effect spends a grant, so only such a ruling may use
   * one.
   */
  readonly withoutGrants?: boolean;
}

/**
 * Returns policy's ruling on a call with its environment and its evidence. Loads grants only if people would otherwise
 * have to approve the call.
 */
export async function ruleCall(
  call: Call,
  capability: Capability,
  input: RulingInput,
  ports: Ports,
): Promise<RuledCall> {
  const env = await loadEnvironment(call, capability, ports);
  const subject: Subject = {
    principal: call.principal,
    contract: capability.contract,
    input: callInput(call),
    preview: input.preview,
    ...(env && { env }),
    cost: callCost(call, capability),
    requirements: call.requirements,
  };
  const evidence = { votes: input.votes ?? [], checks: input.checks ?? [], editors: listEditors(call) };
  const enforcement = enforcementFor(capability, ports);
  const plain = await ruleOrRefresh(subject, evidence, enforcement, ports);
  const ruling =
    canGrantsHelp(plain) && !input.withoutGrants
      ? await ruleWithGrants(plain, subject, evidence, enforcement, ports)
      : plain;
  return { ruling, request: toPolicyRequest(ruling, subject, evidence) };
}

/**
 * [P11] Rules on a call. If this process has no policy set, it loads the set in force before it refuses the call. A set
 * may have been published since the process last loaded policy.
 */
async function ruleOrRefresh(
  subject: Subject,
  evidence: Evidence,
  enforcement: Enforcement,
  ports: Ports,
): Promise<Ruling> {
  const first = rule(ports.policy, subject, evidence, enforcement);
  if (first.version !== "none") return first;
  await ports.policy.refresh(subject.principal.tenant);
  return rule(ports.policy, subject, evidence, enforcement);
}

/**
 * Returns the enforcement for a capability. Administrative calls are always enforced. Observe mode applies only to
 * other calls.
 */
function enforcementFor({ contract }: Capability, { settings }: Ports): Enforcement {
  return adapterName(contract) === adminAdapter
    ? { ...settings.enforcement, mode: "enforce" }
    : settings.enforcement;
}

/** Returns whether a grant could change the ruling. A grant can only replace a missing approval. */
function canGrantsHelp(ruling: Ruling): boolean {
  return ruling.kind === "ask" || (ruling.kind === "block" && ruling.code === "not-confirmed");
}

async function ruleWithGrants(
  plain: Ruling,
  subject: Subject,
  evidence: Evidence,
  enforcement: Enforcement,
  ports: Ports,
): Promise<Ruling> {
  const { tenant } = subject.principal;
  const found = await ports.store.grants(subject.principal, subject.contract.name);
  const grants = found.filter((grant) => isGrantProven(tenant, grant, ports.sealer));
  if (grants.length < found.length) ports.telemetry.measure("paraph.seal.failures", 1, { entry: "grant" });
  if (grants.length === 0) return plain;
  return rule(ports.policy, subject, { ...evidence, grants }, enforcement);
}

/**
 * Loads the environment only if a policy reads it. If the policy set cannot tell whether a policy reads it, loads
 * nothing, because policy will block the call anyway.
 */
async function loadEnvironment(
  call: Call,
  { contract }: Capability,
  ports: Ports,
): Promise<Environment | undefined> {
  if (!readsEnvironment(call, contract, ports)) return undefined;
  return { at: ports.clock.now(), ...(await ports.store.usage(call.principal)) };
}

function readsEnvironment(call: Call, contract: Capability["contract"], ports: Ports): boolean {
  try {
    return ports.policy.current(call.tenant).readsEnvironment(contract);
  } catch {
    return false;
  }
}

/**
 * Returns everything in policy's question that the call's other payloads do not hold. With this part and those
 * payloads, Paraph can repeat the question.
 */
function toPolicyRequest(
  ruling: Ruling,
  { principal, preview, env }: Subject,
  { votes, checks = [] }: Evidence,
): JsonObject {
  const { tenant: _tenant, groups = [], ...who } = principal;
  return {
    version: ruling.version,
    principal: { ...who, groups: [...groups] },
    preview: preview !== undefined,
    discharged: [...ruling.discharged],
    votes: votes.map(({ by, decision }) => ({ by, decision })),
    checks: checks.map(({ check, passed }) => ({ check, passed })),
    ...(env && { env: { ...env } }),
  };
}

/** Returns the event of a ruling with its reasons, and policy's question as a payload. */
export function recordRuling(
  { ruling, request }: RuledCall,
  ports: Ports,
): { readonly event: NewEvent; readonly payload: NewPayload } {
  const { kind, policies, version, sentence, shadow } = ruling;
  const asked = createPayload("request", request, ports);
  const data = {
    ruling: kind,
    policies,
    version,
    ...(sentence !== "" && { sentence }),
    ...(ruling.kind === "block" && { code: ruling.code }),
    ...(ruling.kind === "allow" && ruling.grant && { grant: ruling.grant.id }),
    ...(ruling.kind === "allow" && ruling.observed && { observed: ruling.observed }),
    ...(shadow && { shadow }),
    request: commitment(asked.salt, asked.value),
  };
  return { event: { kind: "ruled", at: ports.clock.now(), data }, payload: asked };
}
