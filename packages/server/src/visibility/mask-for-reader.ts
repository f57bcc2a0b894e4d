import type { Call, Principal, VisiblePayloads } from "@paraph/core";
import { resolveFieldVisibility, type VisibilityDeps } from "./field-visibility.ts";
import { findContract } from "./find-contract.ts";
import { maskPayloads } from "./mask-payloads.ts";

/** [TRUST 16] Returns the payloads of a call as this reader may see them. */
export async function maskForReader(
  reader: Principal,
  call: Call,
  deps: VisibilityDeps,
): Promise<VisiblePayloads> {
  const visibility = await resolveFieldVisibility(reader, call, deps);
  return maskPayloads(reader, call, findContract(call, deps), visibility);
}
