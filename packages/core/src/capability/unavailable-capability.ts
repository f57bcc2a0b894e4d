import type { Json } from "../json.ts";
import { digest } from "../receipts/digest.ts";
import type { Capability, Unavailability } from "./capability.ts";
import type { Contract } from "./contract.ts";
import { CapabilityError } from "./fault.ts";

/**
 * A capability of which only the contract is at hand: policies that name it stay valid and calls that wait for it stay
 * theirs, but nothing is accepted or performed until its adapter is back.
 */
export function createUnavailableCapability(contract: Contract, away: Unavailability): Capability {
  const notHere = async (): Promise<never> => {
    throw new CapabilityError("not-performed", away.code, away.message);
  };
  return Object.freeze({
    contract,
    contractDigest: digest(contract as unknown as Json),
    away,
    parseInput: () => ({ kind: "invalid" as const, faults: [away.message] }),
    parseOutput: () => ({ kind: "invalid" as const, faults: [away.message] }),
    locks: () => [],
    apply: notHere,
    ...(contract.previews && { preview: notHere }),
    ...(contract.idempotency === "probe" && { probe: notHere }),
  });
}
