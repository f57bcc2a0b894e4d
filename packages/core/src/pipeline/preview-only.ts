import type { Ports } from "../ports.ts";
import { refusal } from "./admit.ts";
import { type CallRequest, digestRequest, draft, known } from "./draft.ts";
import { type Considered, consider } from "./first-move.ts";

/** [P3] What a call would change and what policy would say of it, without making it: nothing is written, nobody is asked. */
export async function previewOnly(request: CallRequest, ports: Ports): Promise<Considered> {
  const capability = known(request.principal.tenant, request.capability, ports);
  const frozen = ports.freezes.inForce(request.principal, capability.contract);
  if (frozen) throw refusal({ reason: "frozen", freeze: frozen });
  // Nothing is written here, so no transaction would find out that another policy is in force by now.
  await ports.policy.refresh(request.principal.tenant);
  const call = draft(request, capability, digestRequest(request), ports);
  return consider(call, capability, capability.contract.timeoutMs, ports);
}
