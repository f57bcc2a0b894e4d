import type { Call } from "../call.ts";
import type { Capability, Preview } from "../capability.ts";
import type { CheckResult } from "../check.ts";
import { adapterOf } from "../contract.ts";
import { commitment } from "../digest.ts";
import { editorsOf } from "../editors.ts";
import type { NewEvent } from "../event.ts";
import type { Evidence, Vote } from "../evidence.ts";
import { neverFrozen } from "../freeze.ts";
import type { Json, JsonObject } from "../json.ts";
import { ParaphError } from "../paraph-error.ts";
import type { Environment } from "../policy.ts";
import type { Gate, NewPayload, Ports } from "../ports.ts";
import { type Ruling, rule, type Stance, type Subject } from "../ruling.ts";
import { isGrantProven } from "../sealed-grant.ts";
import { inputOf } from "./attempt.ts";
import { payload } from "./ending.ts";

/** A ruling, and what policy was asked beside the input and the preview. */
export interface Judged<R extends Ruling = Ruling> {
  readonly ruling: R;
  readonly request: JsonObject;
}

/** What a ruling may rest on besides the call itself. */
export interface Seen {
  readonly preview: Preview | undefined;
  readonly votes?: readonly Vote[];
  readonly checks?: readonly CheckResult[];
  /** Only a ruling that is acted on spends a grant, so only such a ruling may rest on one. */
  readonly withoutGrants?: boolean;
}

/** Asks policy about a call, with everything that can count: its environment, its evidence, and grants where people would be asked. */
export async function judge(call: Call, capability: Capability, seen: Seen, ports: Ports): Promise<Judged> {
  const env = await environmentOf(call, capability, ports);
  const subject: Subject = {
    principal: call.principal,
    contract: capability.contract,
    input: inputOf(call),
    preview: seen.preview,
    ...(env && { env }),
    cost: costOf(call, capability),
    requirements: call.requirements,
  };
  const evidence = { votes: seen.votes ?? [], checks: seen.checks ?? [], editors: editorsOf(call) };
  const stance = stanceOn(capability, ports);
  const plain = await plainly(subject, evidence, stance, ports);
  const ruling =
    isOpen(plain) && !seen.withoutGrants ? await withGrants(plain, subject, evidence, stance, ports) : plain;
  return { ruling, request: requestOf(ruling, subject, evidence) };
}

/** [P11] A process without the set in force fetches it before it refuses: another may have been published since. */
async function plainly(subject: Subject, evidence: Evidence, stance: Stance, ports: Ports): Promise<Ruling> {
  const first = rule(ports.policy, subject, evidence, stance);
  if (first.version !== "none") return first;
  await ports.policy.refresh(subject.principal.tenant);
  return rule(ports.policy, subject, evidence, stance);
}

/** Observing is for what agents do: who governs is governed all the same. */
function stanceOn({ contract }: Capability, { settings }: Ports): Stance {
  return adapterOf(contract) === neverFrozen ? { ...settings.stance, mode: "enforce" } : settings.stance;
}

/** What grants could change: nobody has answered yet, and somebody would have to. */
function isOpen(ruling: Ruling): boolean {
  return ruling.kind === "ask" || (ruling.kind === "block" && ruling.code === "not-confirmed");
}

async function withGrants(
  plain: Ruling,
  subject: Subject,
  evidence: Evidence,
  stance: Stance,
  ports: Ports,
): Promise<Ruling> {
  const { tenant } = subject.principal;
  const found = await ports.store.grants(subject.principal, subject.contract.name);
  const grants = found.filter((grant) => isGrantProven(tenant, grant, ports.sealer));
  if (grants.length < found.length) ports.telemetry.measure("paraph.seal.failures", 1, { entry: "grant" });
  if (grants.length === 0) return plain;
  return rule(ports.policy, subject, { ...evidence, grants }, stance);
}

/** Fetched only where a policy looks at it. Where policy cannot even say that, the ruling will be a block. */
async function environmentOf(
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

/** [P11] A cost that cannot be told is no cost that a budget could hold: the call is not made. */
export function costOf(call: Call, capability: Capability): number {
  try {
    const cost = capability.cost?.(inputOf(call)) ?? 0;
    if (Number.isSafeInteger(cost) && cost >= 0) return cost;
  } catch {
    // Told below.
  }
  throw new ParaphError(
    "input-invalid",
    `What \`${capability.contract.name}\` costs cannot be told from this input: its \`cost\` has to be a whole number of minor units.`,
  );
}

/** Everything policy was asked that the call's other payloads do not hold: with them it can be asked again. */
function requestOf(
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

/** What goes on record of a ruling: the fact with its reasons, and the request it answers as a payload. */
export function recorded(
  { ruling, request }: Judged,
  ports: Ports,
): { readonly event: NewEvent; readonly payload: NewPayload } {
  const { kind, policies, version, sentence, shadow } = ruling;
  const asked = payload("request", request, ports);
  const data = {
    ruling: kind,
    policies,
    version,
    ...(sentence !== "" && { sentence }),
    ...(ruling.kind === "block" && { code: ruling.code }),
    ...(ruling.kind === "allow" && ruling.grant && { grant: ruling.grant.id }),
    ...(ruling.kind === "allow" && ruling.observed && { observed: ruling.observed as unknown as Json }),
    ...(shadow && { shadow: shadow as unknown as Json }),
    request: commitment(asked.salt, asked.value),
  };
  return { event: { kind: "ruled", at: ports.clock.now(), data }, payload: asked };
}

/** Whether its intent reserves money or takes a place: both are settled with the outcome. */
export function reserves({ spend, limits }: Gate): boolean {
  return spend !== undefined || limits.some(({ kind }) => kind !== "calls");
}

/** A read changes nothing, so it writes an intent only where that uses something up: money, a place, a grant. */
export function needsIntent({ contract }: Capability, gate: Gate): boolean {
  return contract.effect !== "read" || reserves(gate) || gate.grant !== undefined;
}

/** What an acceptance or an intent under this ruling is held against. `again`: a repetition, for which policy is not asked. */
export function gateFor(call: Call, capability: Capability, ruling: Ruling | "again", ports: Ports): Gate {
  const { contract } = capability;
  const cost = costOf(call, capability);
  const asked = ruling !== "again" && ruling.version !== "none";
  return {
    adapter: adapterOf(contract),
    limits: ports.settings.limits(call.principal, contract, cost),
    ...(cost > 0 && { spend: { principal: call.principal.id, amount: cost } }),
    ...(asked && { policy: ruling.version }),
    ...(ruling !== "again" &&
      ruling.kind === "allow" &&
      ruling.grant && { grant: { id: ruling.grant.id, amount: cost } }),
  };
}
