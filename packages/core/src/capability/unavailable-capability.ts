import type { Json } from "../json.ts";
import { digest } from "../receipts/digest.ts";
import type { Capability, Unavailability } from "./capability.ts";
import type { Contract } from "./contract.ts";
import { CapabilityError } from "./fault.ts";

/**
 * Creates a capability of which only the contract is known. Policies that name the capability stay valid, and waiting
 * calls keep their capability. Paraph accepts and performs none of its calls until its adapter is available again.
 */
export function createUnavailableCapability(contract: Contract, unavailable: Unavailability): Capability {
  const notHere = async (): Promise<never> => {
    throw new CapabilityError("not-performed", unavailable.code, unavailable.message);
  };
  return Object.freeze<Capability>({
    contract,
    contractDigest: digest(contract as unknown as Json),
    unavailable,
    parseInput: () => ({ kind: "invalid" as const, faults: [unavailable.message] }),
    parseOutput: () => ({ kind: "invalid" as const, faults: [unavailable.message] }),
    locks: () => [],
    apply: notHere,
    ...(contract.previews && { preview: notHere }),
    ...(contract.idempotency === "probe" && { probe: notHere }),
  });
}
