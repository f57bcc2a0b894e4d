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
 * What a principal may ever use: there is no point in showing anybody what policy can never allow them. Worked out once for as
 * long as policy and capabilities stay the same; what is asked for is ruled on all the same.
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
    // [P11] Where policy cannot be asked, everything is refused.
    if (!set) return [];
    const key = JSON.stringify(principal);
    const seen = known.get(key);
    if (seen?.set === set && seen.all === all) return seen.offered;
    // Observing hinders nobody, except from governing.
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
