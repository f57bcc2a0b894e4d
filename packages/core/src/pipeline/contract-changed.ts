import { type Call, mayHaveActed } from "../call.ts";
import type { Capability } from "../capability.ts";
import { ParaphError } from "../paraph-error.ts";
import type { Ports } from "../ports.ts";
import { attend } from "./attend.ts";
import { readmit } from "./edit.ts";
import { ending } from "./ending.ts";
import { end } from "./look-again.ts";
import { commit, type Rest, rest, resting } from "./move.ts";
import { lapse, offeredUntil } from "./offer.ts";
import { giveUp } from "./recover.ts";

/** Left to a process that has its contract: this one is older than the call, or does not know its capability. */
export type Left = Rest & { readonly left?: "contract-not-here" | "capability-away" };

/**
 * [P5] Performed only by exactly its contract. Where this process has a later one, the call is admitted again under that,
 * and asked again where policy then asks; where it cannot be, it fails closed. What may have acted is never called refused.
 */
export async function contractChanged(call: Call, ports: Ports): Promise<Left> {
  if (call.state === "asking") return attend(call, ports);
  if (call.state === "offered" && offeredUntil(call) <= ports.clock.now()) return lapse(call, ports);
  const capability = ports.catalog.find(call.tenant, call.capability);
  const later = capability && isLater(capability, call) ? capability : undefined;
  if (capability?.away && capability.contractDigest === call.contractDigest)
    return waitForAdapter(call, capability, ports);
  if (!later && mayStillCome(call, ports)) return { ...rest(call), left: "contract-not-here" };
  if (mayHaveActed(call)) return giveUp(call, "contract-changed", ports);
  const again = later && (await readmitted(call, later, ports));
  if (again) return again;
  const outcome = { kind: "refused", code: "contract-changed" } as const;
  return resting(await commit(call, await ending(call, { outcome }, ports), ports));
}

/**
 * Its contract is here, but its adapter is away. It waits for the adapter as long as an approval may be applied: what is
 * approved longer ago is asked again anyway.
 */
async function waitForAdapter(call: Call, { contract }: Capability, ports: Ports): Promise<Left> {
  if (isRecent(call, contract.applyWithinMs, ports)) return { ...rest(call), left: "capability-away" };
  if (mayHaveActed(call)) return giveUp(call, "capability-away", ports);
  return end(call, "refused", "capability-away", ports);
}

/**
 * Only forward: while old and new processes work side by side, neither may take back what the other has taken up. Which of
 * two contracts under one version is the later nobody can tell, so that a call changes between those once.
 */
function isLater({ contract, away }: Capability, call: Call): boolean {
  if (away) return false;
  return contract.version === call.version ? call.supersedes === undefined : contract.version > call.version;
}

/**
 * Whoever has its contract is on the way, or still there, while a deploy is under way. A call that nobody took up for so
 * long belongs to a deploy that was taken back. One stamped in the future, by a clock since put right, is not waited for.
 */
export function mayStillCome(call: Call, ports: Ports): boolean {
  return isRecent(call, longestDeployMs, ports);
}

function isRecent({ events, createdAt }: Call, ms: number, ports: Ports): boolean {
  const ago = ports.clock.now() - (events.at(-1)?.at ?? createdAt);
  return ago < ms && ago > -ms;
}

/** Longer than the workers of one cell take to be replaced. */
const longestDeployMs = 15 * 60_000;

async function readmitted(call: Call, capability: Capability, ports: Ports): Promise<Rest | undefined> {
  try {
    const done = await readmit(call, capability, ports);
    return done ? rest(done.superseded, done.wakes) : rest(call);
  } catch (error) {
    // The input does not fit the new contract, or nothing of it is accepted now.
    if (error instanceof ParaphError) return undefined;
    throw error;
  }
}
