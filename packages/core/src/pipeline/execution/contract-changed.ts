import { type Call, mayHaveActed } from "../../call.ts";
import type { Capability } from "../../capability/capability.ts";
import { ParaphError } from "../../paraph-error.ts";
import type { Ports } from "../../ports.ts";
import { expireOffer, offerEndsAt } from "../agent/offer.ts";
import { readmitCall } from "../approval/edit.ts";
import { escalate } from "../approval/escalation.ts";
import { closeBeforeActing } from "../approval/revalidate.ts";
import { closeCall } from "../close.ts";
import { commitTransition, type Rested, restCall, toRested } from "../transition.ts";
import { closeUnknownContract } from "./recover.ts";

/** Left to a process that has its contract: this one is older than the call, or does not know its capability. */
export type SkippedSegment = Rested & { readonly left?: "contract-not-here" | "capability-unavailable" };

/**
 * [P5] Performed only by exactly its contract. Where this process has a later one, the call is admitted again under that,
 * and asked again where policy then asks; where it cannot be, it fails closed. What may have acted is never called refused.
 */
export async function handleChangedContract(call: Call, ports: Ports): Promise<SkippedSegment> {
  if (call.state === "asking") return escalate(call, ports);
  if (call.state === "offered" && offerEndsAt(call) <= ports.clock.now()) return expireOffer(call, ports);
  const capability = ports.catalog.find(call.tenant, call.capability);
  const later = capability && isLater(capability, call) ? capability : undefined;
  if (capability?.unavailable && capability.contractDigest === call.contractDigest)
    return waitForAdapter(call, capability, ports);
  if (!later && mayContractArrive(call, ports)) return { ...restCall(call), left: "contract-not-here" };
  if (mayHaveActed(call)) return closeUnknownContract(call, "contract-changed", ports);
  const again = later && (await tryReadmit(call, later, ports));
  if (again) return again;
  const outcome = { kind: "refused", code: "contract-changed" } as const;
  return toRested(await commitTransition(call, await closeCall(call, { outcome }, ports), ports));
}

/**
 * Its contract is here, but its adapter is away. It waits for the adapter as long as an approval may be applied: what is
 * approved longer ago is asked again anyway.
 */
async function waitForAdapter(call: Call, { contract }: Capability, ports: Ports): Promise<SkippedSegment> {
  if (isRecent(call, contract.applyWithinMs, ports))
    return { ...restCall(call), left: "capability-unavailable" };
  if (mayHaveActed(call)) return closeUnknownContract(call, "capability-unavailable", ports);
  return closeBeforeActing(call, "refused", "capability-unavailable", ports);
}

/**
 * Only forward: while old and new processes work side by side, neither may take back what the other has taken up. Which of
 * two contracts under one version is the later nobody can tell, so that a call changes between those once.
 */
function isLater({ contract, unavailable: away }: Capability, call: Call): boolean {
  if (away) return false;
  return contract.version === call.version ? call.supersedes === undefined : contract.version > call.version;
}

/**
 * Whoever has its contract is on the way, or still there, while a deploy is under way. A call that nobody took up for so
 * long belongs to a deploy that was taken back. One stamped in the future, by a clock since put right, is not waited for.
 */
export function mayContractArrive(call: Call, ports: Ports): boolean {
  return isRecent(call, maxDeployMs, ports);
}

function isRecent({ events, createdAt }: Call, ms: number, ports: Ports): boolean {
  const ago = ports.clock.now() - (events.at(-1)?.at ?? createdAt);
  return ago < ms && ago > -ms;
}

/** Longer than the workers of one cell take to be replaced. */
const maxDeployMs = 15 * 60_000;

async function tryReadmit(call: Call, capability: Capability, ports: Ports): Promise<Rested | undefined> {
  try {
    const done = await readmitCall(call, capability, ports);
    return done ? restCall(done.superseded, done.wakes) : restCall(call);
  } catch (error) {
    // The input does not fit the new contract, or nothing of it is accepted now.
    if (error instanceof ParaphError) return undefined;
    throw error;
  }
}
