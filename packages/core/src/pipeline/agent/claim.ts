import type { Attempt, Call } from "../../call.ts";
import { lastEvent } from "../../event.ts";
import type { Json } from "../../json.ts";
import { ParaphError } from "../../paraph-error.ts";
import type { Ports, Wake } from "../../ports.ts";
import type { Principal } from "../../principal.ts";
import { sha256Hex } from "../../receipts/digest.ts";
import { findUnproven } from "../../receipts/proven-record.ts";
import { advance } from "../advance.ts";
import { callInput } from "../execution/attempt.ts";
import { createIntent, revalidateAndAct } from "../execution/perform.ts";
import { commitAtGate, toRested } from "../transition.ts";
import { offerEndsAt } from "./offer.ts";

export interface Claim {
  readonly call: string;
  readonly by: Principal;
  /** The taker's own random word: sent again with the same, it is the same taking, and gets the same answer. */
  readonly claimToken: string;
}

export interface ClaimedAttempt {
  readonly attempt: number;
  readonly deadline: number;
  /** How long that is from now. */
  readonly withinMs: number;
  /** As it was let through: a person may have edited it. */
  readonly input: Json;
}

/** What the agent is to perform now; without it, the call stands elsewhere and nothing is to be done. */
export interface ClaimResult {
  readonly call: Call;
  readonly perform?: ClaimedAttempt;
  readonly wakes: readonly Wake[];
}

/**
 * The agent takes what was offered to it: looked at again like anything that is about to act, and its intent is durable
 * before the answer leaves. Taken once: who does not know whether they performed it has to say so.
 */
export async function claimCall(given: Claim, ports: Ports): Promise<ClaimResult> {
  const claimToken = sha256Hex(given.claimToken);
  for (let turn = 1; ; turn += 1) {
    const call = await requireOwnCall(given, ports);
    if (call.state !== "offered") return answerRepeatedClaim(call, claimToken, ports);
    const capability = ports.catalog.find(call.tenant, call.capability);
    const isOver = offerEndsAt(call) <= ports.clock.now();
    const isProven = findUnproven(call, ports.sealer) === undefined;
    if (capability?.contractDigest !== call.contractDigest || isOver || !isProven || turn > maxTurns)
      return advanceInstead(call, ports);

    const { call: now, wakes } = await revalidateAndAct(call, capability, ports, async (looked) => {
      const going = { ...looked, because: looked.judged.ruling, claimToken };
      const move = createIntent(looked.call, capability, going, ports);
      const timely = { before: offerEndsAt(call) };
      const intended = await commitAtGate(looked.call, { ...move, timely }, ports);
      return intended.kind === "on" ? toRested(intended) : intended;
    });
    // The fence was lost, or the offer ran out by the store's clock: look at what stands now.
    if (now.epoch === call.epoch) continue;
    return now.state === "performing" ? { ...toClaimedAttempt(now, ports), wakes } : { call: now, wakes };
  }
}

const maxTurns = 5;

/** [TRUST 9] Only who asked for a call takes it and reports on it; to all others it is not there. */
export async function requireOwnCall(
  { call: id, by }: Pick<Claim, "call" | "by">,
  ports: Ports,
): Promise<Call> {
  const call = await ports.store.load({ tenant: by.tenant, call: id });
  if (call?.principal.id === by.id) return call;
  throw new ParaphError("call-unknown", "There is no such call of yours: `paraph calls` lists them.");
}

/** The attempt that the agent has taken with this ticket and not yet reported on. */
export function findOpenAttempt(call: Call, claimToken: string): Attempt | undefined {
  const intended = lastEvent(call.events, "intended");
  if (call.state !== "performing" || intended?.data.claimToken !== claimToken) return undefined;
  return call.attempts.findLast(({ ended }) => ended === undefined);
}

function answerRepeatedClaim(call: Call, claimToken: string, ports: Ports): ClaimResult {
  if (findOpenAttempt(call, claimToken)) return { ...toClaimedAttempt(call, ports), wakes: [] };
  if (call.state === "performing")
    throw new ParaphError(
      "already-taken",
      "This call is taken already: who took it reports on it, and what nobody reports on ends unknown.",
    );
  if (call.state === "closed")
    throw new ParaphError(
      "call-closed",
      `This call has ended (${call.outcome?.kind}): nothing is to be taken.`,
    );
  throw new ParaphError(
    "not-offered",
    `This call is not offered to be taken (it is ${call.state}): wait for it, and see what it waits for.`,
  );
}

function toClaimedAttempt(call: Call, ports: Ports): Pick<ClaimResult, "call" | "perform"> {
  const { number: attempt, deadline } = call.attempts.at(-1)!;
  const withinMs = Math.max(0, deadline - ports.clock.now());
  return { call, perform: { attempt, deadline, withinMs, input: callInput(call) } };
}

/** Its contract has changed, or its time is over: an ordinary segment says where it goes instead. */
async function advanceInstead(call: Call, ports: Ports): Promise<ClaimResult> {
  const { call: now = call, wakes } = await advance(call, ports);
  return { call: now, wakes };
}
