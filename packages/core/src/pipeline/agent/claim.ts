import type { Attempt, Call } from "../../call.ts";
import { callInput } from "../../call.ts";
import { lastEvent } from "../../event.ts";
import type { Json } from "../../json.ts";
import { ParaphError } from "../../paraph-error.ts";
import type { Ports } from "../../ports.ts";
import type { Principal } from "../../principal.ts";
import { sha256Hex } from "../../receipts/digest.ts";
import { findUnproven } from "../../receipts/proven-record.ts";
import { isInDoubt } from "../../restore-doubt.ts";
import type { Wake } from "../../store.ts";
import { advance } from "../advance.ts";
import { createIntent } from "../attempt/intent.ts";
import { offerEndsAt } from "../execution/offer.ts";
import { revalidateAndAct } from "../execution/perform.ts";
import { commitAtGate, toRested } from "../transition.ts";

/** An agent's claim of a call that Paraph offers to it. */
export interface Claim {
  readonly call: string;
  readonly by: Principal;
  /** A random token of the agent. A repeated claim with the same token is the same claim, and gets the same result. */
  readonly claimToken: string;
}

/** The attempt that an agent has claimed. */
export interface ClaimedAttempt {
  readonly attempt: number;
  readonly deadline: number;
  /** The time from now to the deadline. */
  readonly withinMs: number;
  /** The admitted input, which a person may have edited. */
  readonly input: Json;
}

/** The result of a claim. Without `perform`, the agent must not perform the call. */
export interface ClaimResult {
  readonly call: Call;
  readonly perform?: ClaimedAttempt;
  readonly wakes: readonly Wake[];
}

/**
 * Claims an offered call for its agent. Paraph revalidates the call first, and writes the intent before the agent gets
 * its answer. A call can be claimed only once. An agent that does not know whether it performed the call must therefore
 * report it as `ambiguous`.
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
    if (isInDoubt(call, capability.contract)) return advanceInstead(call, ports);

    const { call: now, wakes } = await revalidateAndAct(call, capability, ports, async (revalidated) => {
      const going = { ...revalidated, because: revalidated.ruledCall.ruling, claimToken };
      const move = createIntent(revalidated.call, capability, going, ports);
      const timely = { before: offerEndsAt(call) };
      const intended = await commitAtGate(revalidated.call, { ...move, timely }, ports);
      return intended.kind === "on" ? toRested(intended) : intended;
    });
    // Another transition came first, or the offer expired by the store's clock. The next iteration of the loop reads
    // the call again.
    if (now.epoch === call.epoch) continue;
    return now.state === "performing" ? { ...toClaimedAttempt(now, ports), wakes } : { call: now, wakes };
  }
}

const maxTurns = 5;

/**
 * [TRUST 9] Returns a call of this principal. For every other principal, it throws the same error as for a call that
 * does not exist.
 */
export async function requireOwnCall(
  { call: id, by }: Pick<Claim, "call" | "by">,
  ports: Ports,
): Promise<Call> {
  const call = await ports.store.load({ tenant: by.tenant, call: id });
  if (call?.principal.id === by.id) return call;
  throw new ParaphError("call-unknown", "You have no call with this id. `paraph calls` lists your calls.");
}

/** Returns the attempt that the agent claimed with this token and has not reported on. */
export function findOpenAttempt(call: Call, claimToken: string): Attempt | undefined {
  const intended = lastEvent(call.events, "intended");
  if (call.state !== "performing" || intended?.data.claimToken !== claimToken) return undefined;
  return call.attempts.findLast(({ ended }) => ended === undefined);
}

function answerRepeatedClaim(call: Call, claimToken: string, ports: Ports): ClaimResult {
  if (findOpenAttempt(call, claimToken)) return { ...toClaimedAttempt(call, ports), wakes: [] };
  if (call.state === "performing")
    throw new ParaphError(
      "already-claimed",
      "This call is already claimed. The process that claimed it has to report the result, or the call ends as unknown.",
    );
  if (call.state === "closed")
    throw new ParaphError(
      "call-closed",
      `This call has ended (${call.outcome?.kind}), so it cannot be claimed.`,
    );
  throw new ParaphError(
    "not-offered",
    `This call cannot be claimed now (state: ${call.state}). Wait until Paraph offers it.`,
  );
}

function toClaimedAttempt(call: Call, ports: Ports): Pick<ClaimResult, "call" | "perform"> {
  const { number, deadline } = call.attempts.at(-1)!;
  const withinMs = Math.max(0, deadline - ports.clock.now());
  return { call, perform: { attempt: number, deadline, withinMs, input: callInput(call) } };
}

/** Runs an ordinary segment instead of the claim, because the contract has changed or the offer is over. */
async function advanceInstead(call: Call, ports: Ports): Promise<ClaimResult> {
  const { call: now = call, wakes } = await advance(call, ports);
  return { call: now, wakes };
}
