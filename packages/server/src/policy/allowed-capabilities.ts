import {
  adapterName,
  adminAdapter,
  type Capability,
  type PolicySet,
  type Ports,
  type Principal,
} from "@paraph/core";

const maxPrincipals = 1_000;

/**
 * Creates a function that returns the capabilities that policy may allow a principal to use. Clients therefore do not
 * list capabilities that the principal can never use. The result is cached until policy or the capabilities change.
 * Policy still rules on every request.
 */
export function createAllowedCapabilities({
  policy,
  catalog,
  settings,
}: Pick<Ports, "policy" | "catalog" | "settings">): (principal: Principal) => readonly Capability[] {
  const known = new Map<string, CachedCapabilities>();
  return (principal) => {
    const all = catalog.all(principal.tenant);
    const set = findPolicySet(principal.tenant, policy);
    // [P11] If policy is unavailable, Paraph refuses every call, so no capability is listed.
    if (!set) return [];
    const key = JSON.stringify(principal);
    const seen = known.get(key);
    if (seen?.set === set && seen.all === all) return seen.offered;
    // In observe mode, policy blocks only administrative calls, so every other capability is listed.
    const isOpen = ({ contract }: Capability) =>
      settings.enforcement.mode === "observe" && adapterName(contract) !== adminAdapter;
    const offered = all.filter((one) => isOpen(one) || (set.couldAllow?.(principal, one.contract) ?? true));
    known.delete(key);
    known.set(key, { set, all, offered });
    if (known.size > maxPrincipals) known.delete(known.keys().next().value!);
    return offered;
  };
}

interface CachedCapabilities {
  readonly set: PolicySet;
  readonly all: readonly Capability[];
  readonly offered: readonly Capability[];
}

function findPolicySet(tenant: string, policy: Ports["policy"]): PolicySet | undefined {
  try {
    return policy.current(tenant);
  } catch {
    return undefined;
  }
}
