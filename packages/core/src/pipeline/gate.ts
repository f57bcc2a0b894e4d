import { type Call, callInput } from "../call.ts";
import type { Capability } from "../capability/capability.ts";
import { adapterName } from "../capability/contract.ts";
import { ParaphError } from "../paraph-error.ts";
import type { Ruling } from "../policy/ruling.ts";
import type { Ports } from "../ports.ts";
import type { Gate } from "../store.ts";

/**
 * [P11] Returns the cost of a call in minor units. Rejects a call whose cost cannot be computed, because no budget
 * could include it.
 */
export function callCost(call: Call, capability: Capability): number {
  try {
    const cost = capability.cost?.(callInput(call)) ?? 0;
    if (Number.isSafeInteger(cost) && cost >= 0) return cost;
  } catch {
    // The error below reports it.
  }
  throw new ParaphError(
    "input-invalid",
    `Paraph cannot compute the cost of \`${capability.contract.name}\` from this input. The capability's \`cost\` has to be a whole number of minor units.`,
  );
}

/** Returns whether the intent reserves money or takes a place under a limit. The outcome settles both. */
export function reservesBudget({ spend, limits }: Gate): boolean {
  return spend !== undefined || limits.some(({ kind }) => kind !== "calls");
}

/**
 * Returns whether an attempt needs an intent. A read changes nothing, so it needs an intent only if it uses up money, a
 * place under a limit, or a grant.
 */
export function needsIntent({ contract }: Capability, gate: Gate): boolean {
  return contract.effect !== "read" || reservesBudget(gate) || gate.grant !== undefined;
}

/**
 * Returns the gate of an acceptance or an intent under this ruling. With `again`, policy made no new ruling, so the
 * gate names no policy set and no grant.
 */
export function createGate(call: Call, capability: Capability, ruling: Ruling | "again", ports: Ports): Gate {
  const { contract } = capability;
  const cost = callCost(call, capability);
  const asked = ruling !== "again" && ruling.version !== "none";
  return {
    adapter: adapterName(contract),
    limits: ports.settings.limits(call.principal, contract, cost),
    ...(cost > 0 && { spend: { principal: call.principal.id, amount: cost } }),
    ...(asked && { policy: ruling.version }),
    ...(ruling !== "again" &&
      ruling.kind === "allow" &&
      ruling.grant && { grant: { id: ruling.grant.id, amount: cost } }),
  };
}
