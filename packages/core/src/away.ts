import type { Away, Capability } from "./capability.ts";
import type { Contract } from "./contract.ts";
import { digest } from "./digest.ts";
import { CapabilityError } from "./fault.ts";
import type { Json } from "./json.ts";

/**
 * A capability of which only the contract is at hand: policies that name it stay valid and calls that wait for it stay
 * theirs, but nothing is accepted or performed until its adapter is back.
 */
export function awayCapability(contract: Contract, away: Away): Capability {
  const notHere = async (): Promise<never> => {
    throw new CapabilityError("not-performed", away.code, away.says);
  };
  return Object.freeze({
    contract,
    contractDigest: digest(contract as unknown as Json),
    away,
    parseInput: () => ({ kind: "invalid" as const, faults: [away.says] }),
    parseOutput: () => ({ kind: "invalid" as const, faults: [away.says] }),
    locks: () => [],
    apply: notHere,
    ...(contract.previews && { preview: notHere }),
    ...(contract.idempotency === "probe" && { probe: notHere }),
  });
}
