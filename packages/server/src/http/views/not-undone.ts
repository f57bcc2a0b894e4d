import { type Call, findNotUndone, findUndoneCall, type NotUndone, type Principal } from "@paraph/core";
import type { ParaphService } from "../../services/paraph-service.ts";

/**
 * Returns the effects that remain after this call undoes another call. Returns an empty list if this call undoes
 * nothing.
 */
export async function listNotUndone(
  call: Call,
  reader: Principal,
  service: Pick<ParaphService, "findCapability" | "findCall" | "listSteps">,
): Promise<readonly NotUndone[]> {
  const id = findUndoneCall(call);
  const undone = id === undefined ? undefined : await service.findCall(reader, id);
  if (!undone) return [];
  return findNotUndone(undone.call, call.payloads.input?.value ?? null, {
    steps: (step) => service.listSteps({ tenant: call.tenant, call: step }),
    contractOf: (capability) => service.findCapability(call.tenant, capability)?.contract,
  });
}
