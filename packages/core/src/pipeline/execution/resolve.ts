import type { Call } from "../../call.ts";
import { lastPreview } from "../../call.ts";
import { ParaphError } from "../../paraph-error.ts";
import type { Ports } from "../../ports.ts";
import type { Principal } from "../../principal.ts";
import { commitment } from "../../receipts/digest.ts";
import { type Finding, issueResolution, type Resolution } from "../../receipts/resolution.ts";
import type { Wake } from "../../store.ts";
import { probe } from "../attempt/attempt.ts";
import { createPayload } from "../close.ts";
import { callCost } from "../gate.ts";
import { mergePayloads } from "../transition.ts";

/** The call after its resolution. */
export interface ResolutionResult {
  readonly call: Call;
  readonly wakes: readonly Wake[];
}

/**
 * Records a person's finding about an unknown outcome. Paraph signs the finding and accepts only one per call. Paraph
 * then frees the locks and the money that the call kept.
 */
export async function resolveUnknown(
  given: {
    readonly call: string;
    readonly by: Principal;
    readonly finding: Finding;
    readonly reason: string;
  },
  ports: Ports,
): Promise<ResolutionResult> {
  const { by, finding, reason } = given;
  if (by.kind !== "person")
    throw new ParaphError(
      "approver-not-allowed",
      "Only a person can resolve an unknown outcome. Use a person's API key.",
    );
  const call = await requireUnknownCall(by.tenant, given.call, ports);
  if (reason.trim() === "")
    throw new ParaphError(
      "input-invalid",
      "The reason is missing. Say how you found out whether the call took effect.",
    );
  return recordResolution(call, { finding, by: by.id, how: "person", at: ports.clock.now() }, reason, ports);
}

/** Asks the external system again whether the effect happened. If that system cannot tell, nothing changes. */
export async function probeAgain(
  given: { readonly call: string; readonly by: Principal },
  ports: Ports,
): Promise<ResolutionResult & { readonly found: Finding | "unsure" }> {
  const call = await requireUnknownCall(given.by.tenant, given.call, ports);
  const capability = ports.catalog.find(call.tenant, call.capability);
  if (!capability?.probe || capability.contractDigest !== call.contractDigest)
    throw new ParaphError(
      "not-unknown",
      "This call cannot be probed. Check the external system yourself, then resolve the call.",
    );
  const attempt = call.attempts.at(-1)?.number ?? 1;
  const found = await probe(call, capability, lastPreview(call)?.basis, attempt, ports);
  if (found.kind === "fault" || found.value.kind === "unsure") return { call, wakes: [], found: "unsure" };
  const finding = found.value.kind === "present" ? "happened" : "not-happened";
  const resolution: Resolution = { finding, by: given.by.id, how: "probe", at: ports.clock.now() };
  return { ...(await recordResolution(call, resolution, undefined, ports)), found: finding };
}

async function requireUnknownCall(tenant: string, id: string, ports: Ports): Promise<Call> {
  const call = await ports.store.load({ tenant, call: id });
  if (!call) throw new ParaphError("call-unknown", "There is no such call. `paraph calls` lists calls.");
  if (call.outcome?.kind !== "unknown")
    throw new ParaphError(
      "not-unknown",
      `This call has no unknown outcome (${call.outcome?.kind ?? "it has not ended"}), so there is nothing to resolve.`,
    );
  if (call.resolution)
    throw new ParaphError(
      "not-unknown",
      `${call.resolution.by} has already resolved this call (${call.resolution.finding}).`,
    );
  return call;
}

async function recordResolution(
  call: Call,
  resolution: Resolution,
  reason: string | undefined,
  ports: Ports,
): Promise<ResolutionResult> {
  const reasons = reason === undefined ? [] : [createPayload("resolution", reason, ports)];
  const [said] = reasons.map(({ salt, value }) => ({ reason: commitment(salt, value) }));
  const statement = await issueResolution(call, { ...resolution, ...said }, ports.signer);
  const { finding, by, how, at } = resolution;
  const event = {
    kind: "resolved",
    at,
    data: { finding, by, how, statement: statement.digest, ...said },
  } as const;
  const committed = await ports.store.resolve({
    tenant: call.tenant,
    call: call.call,
    epoch: call.epoch,
    resolution,
    event,
    payloads: reasons,
    statement,
    settle: { spent: finding === "happened" ? reservedCost(call, ports) : 0 },
  });
  if (committed.kind !== "done")
    throw new ParaphError(
      "not-unknown",
      "Another request has just resolved this call, so nothing was changed. Read the call to see its resolution.",
    );
  const events = [...call.events, { seq: call.events.length + 1, ...event }];
  const payloads = mergePayloads(call.payloads, reasons);
  return { call: { ...call, epoch: committed.epoch, resolution, events, payloads }, wakes: committed.wake };
}

/** Returns the cost that the call reserved, which is the best available estimate of its actual cost. */
function reservedCost(call: Call, ports: Ports): number {
  const capability = ports.catalog.find(call.tenant, call.capability);
  return capability ? callCost(call, capability) : 0;
}
