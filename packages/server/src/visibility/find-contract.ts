import type { Call, Contract } from "@paraph/core";

/** Looks up the capabilities of a tenant. */
export interface CapabilityLookup {
  findCapability(
    tenant: string,
    name: string,
  ): { readonly contract: Contract; readonly contractDigest: string } | undefined;
}

/** Returns the contract under which the call was admitted, or undefined if this process does not have that contract. */
export function findContract(call: Call, capabilities: CapabilityLookup): Contract | undefined {
  const found = capabilities.findCapability(call.tenant, call.capability);
  return found?.contractDigest === call.contractDigest ? found.contract : undefined;
}
