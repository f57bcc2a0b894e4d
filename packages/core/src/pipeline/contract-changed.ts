import { type Call, mayHaveActed } from "../call.ts";
import type { Capability } from "../capability/capability.ts";
import { ParaphError } from "../paraph-error.ts";
import type { Ports } from "../ports.ts";
import { findDoubtSince } from "../restore-doubt.ts";
import { readmitCall } from "./admission/edit.ts";
import { closeBeforeActing } from "./approval/approved-round.ts";
import { escalate } from "./approval/escalation.ts";
import { closeUnknownContract } from "./attempt/unknown.ts";
import { closeCall } from "./close.ts";
import { expireOffer, offerEndsAt } from "./execution/offer.ts";
import { commitTransition, type Rested, restCall, toRested } from "./transition.ts";

/**
 * A segment that this process leaves to a process with the call's contract. This process is older than the call, or
 * does not have the call's capability.
 */
export type SkippedSegment = Rested & { readonly skipped?: "contract-not-here" | "capability-unavailable" };

/**
 * [P5] Handles a call whose exact contract this process does not have. If this process has a later contract, Paraph
 * admits the call again under that contract, with new approvals if policy requires them. If that is not possible,
 * Paraph refuses the call. A call that may have acted is never refused.
 */
export async function handleChangedContract(call: Call, ports: Ports): Promise<SkippedSegment> {
  if (call.state === "asking") return escalate(call, ports);
  if (call.state === "offered" && offerEndsAt(call) <= ports.clock.now()) return expireOffer(call, ports);
  const capability = ports.catalog.find(call.tenant, call.capability);
  const later = capability && isLater(capability, call) ? capability : undefined;
  if (capability?.unavailable && capability.contractDigest === call.contractDigest)
    return waitForAdapter(call, capability, ports);
  if (!later && mayContractArrive(call, ports)) return { ...restCall(call), skipped: "contract-not-here" };
  // A successor has another id, so neither its key nor its probe would find an effect of this call.
  if (mayHaveActed(call) || findDoubtSince(call) !== undefined)
    return closeUnknownContract(call, "contract-changed", ports);
  const again = later && (await tryReadmit(call, later, ports));
  if (again) return again;
  const outcome = { kind: "refused", code: "contract-changed" } as const;
  return toRested(await commitTransition(call, await closeCall(call, { outcome }, ports), ports));
}

/**
 * Waits for an unavailable adapter for at most `applyWithinMs` after the call's last event. After that time, people
 * would have to approve the call again anyway.
 */
async function waitForAdapter(call: Call, { contract }: Capability, ports: Ports): Promise<SkippedSegment> {
  if (isRecent(call, contract.applyWithinMs, ports))
    return { ...restCall(call), skipped: "capability-unavailable" };
  if (mayHaveActed(call)) return closeUnknownContract(call, "capability-unavailable", ports);
  return closeBeforeActing(call, "refused", "capability-unavailable", ports);
}

/**
 * Returns whether a contract is later than that of the call. A call moves only to later contracts. Old and new
 * processes that run side by side therefore do not undo each other's work. Different contracts with the same version
 * cannot be ordered. A call may change from one to the other once, and never again.
 */
function isLater({ contract, unavailable }: Capability, call: Call): boolean {
  if (unavailable) return false;
  return contract.version === call.version ? call.supersedes === undefined : contract.version > call.version;
}

/**
 * Returns whether a process with the call's contract may still appear. A deployment that brings the contract may be in
 * progress. If no process took the call up within `maxDeployMs`, the call belongs to a deployment that was rolled back.
 * A call whose time stamp is in the future does not wait, because the clock that stamped it was corrected later.
 */
export function mayContractArrive(call: Call, ports: Ports): boolean {
  return isRecent(call, maxDeployMs, ports);
}

function isRecent({ events, createdAt }: Call, ms: number, ports: Ports): boolean {
  const ago = ports.clock.now() - (events.at(-1)?.at ?? createdAt);
  return ago < ms && ago > -ms;
}

/** The maximum duration of a deployment. The replacement of all workers of one cell takes less time than this. */
const maxDeployMs = 15 * 60_000;

async function tryReadmit(call: Call, capability: Capability, ports: Ports): Promise<Rested | undefined> {
  try {
    const done = await readmitCall(call, capability, ports);
    return done ? restCall(done.superseded, done.wakes) : restCall(call);
  } catch (error) {
    // Returns undefined, because the call cannot be admitted again. Its input does not fit the new contract, or Paraph
    // does not accept calls of this capability now.
    if (error instanceof ParaphError) return undefined;
    throw error;
  }
}
