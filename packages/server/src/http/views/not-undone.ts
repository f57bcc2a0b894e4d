import { type Call, findUndoneCall, type NotUndone, notUndone, type Principal } from "@paraph/core";
import type { Service } from "../../services/types/service-types.ts";

/** What stays of a call that this one undoes. Empty for calls that undo nothing. */
export async function notUndoneBy(
  call: Call,
  reader: Principal,
  service: Pick<Service, "capability" | "find" | "steps">,
): Promise<readonly NotUndone[]> {
  const id = findUndoneCall(call);
  const undone = id === undefined ? undefined : await service.find(reader, id);
  if (!undone) return [];
  return notUndone(undone.call, call.payloads.input?.value ?? null, {
    steps: (step) => service.steps({ tenant: call.tenant, call: step }),
    contractOf: (capability) => service.capability(call.tenant, capability)?.contract,
  });
}
