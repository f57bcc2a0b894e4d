import type { Ports } from "../../ports.ts";
import { type CallRequest, digestRequest, draftCall, requireCapability } from "../ruling/draft.ts";
import { toRejectionError } from "./admit.ts";
import { type Evaluated, evaluateCall } from "./evaluate.ts";

/** [P3] Returns what a call would change and how policy would rule on it. It writes nothing and asks no person. */
export async function previewOnly(request: CallRequest, ports: Ports): Promise<Evaluated> {
  const capability = requireCapability(request.principal.tenant, request.capability, ports);
  const frozen = await ports.freezes.inForce(request.principal, capability.contract);
  if (frozen) throw toRejectionError({ reason: "frozen", freeze: frozen });
  // Loads the policy set that is in force now. This function writes nothing, so no transaction would detect an outdated
  // policy set.
  await ports.policy.refresh(request.principal.tenant);
  const call = draftCall(request, capability, digestRequest(request), ports);
  return evaluateCall(call, capability, capability.contract.timeoutMs, ports);
}
