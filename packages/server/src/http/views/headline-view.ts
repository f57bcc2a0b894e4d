import {
  type Call,
  type Contract,
  contractHeadline,
  lastHeadline,
  maskText,
  type VisiblePayloads,
} from "@paraph/core";

/** Returns the headline of a call as this reader may see it. */
export function showHeadline(
  call: Call,
  { payloads }: VisiblePayloads,
  contract: Contract | undefined,
): string {
  const { headline } = payloads;
  return lastHeadline(call) !== undefined && typeof headline === "string" && headline !== maskText
    ? headline
    : describeCapability(contract, call.capability);
}

/** Returns the headline of a call whose own headline is missing, erased or hidden from the reader. */
export function describeCapability(
  contract: Pick<Contract, "name" | "summary"> | undefined,
  capability: string,
): string {
  return contract ? contractHeadline(contract) : capability;
}
