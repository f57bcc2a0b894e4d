import type { Call } from "../call.ts";
import type { Capability } from "../capability.ts";
import { sameJson, sha256Hex } from "../digest.ts";
import { CapabilityError, faultOf } from "../fault.ts";
import type { Json } from "../json.ts";
import { ParaphError } from "../paraph-error.ts";
import type { Ports, Wake } from "../ports.ts";
import type { Principal } from "../principal.ts";
import { type Applied, type Result, withinContract } from "./attempt.ts";
import { lastWord } from "./conclude.ts";
import { known } from "./draft.ts";
import { ranSince } from "./figures.ts";
import { after, parentWake } from "./move.ts";
import { openAttempt, ownCall } from "./take.ts";

export interface Reporting {
  readonly call: string;
  readonly by: Principal;
  /** The one it was taken with. */
  readonly ticket: string;
  readonly report: Report;
}

/** What became of it, as the agent that performed it says; `ambiguous`: it may have happened. */
export type Report =
  | { readonly as: "succeeded"; readonly output: Json }
  | { readonly as: "not-performed" | "ambiguous"; readonly code: string; readonly message: string };

/** Ends a call that the agent took, with what it says came of it. The same report twice is one report. */
export async function report(
  given: Reporting,
  ports: Ports,
): Promise<{ readonly call: Call; readonly wakes: readonly Wake[] }> {
  const ticket = sha256Hex(given.ticket);
  for (;;) {
    const call = await ownCall(given, ports);
    const capability = known(call.tenant, call.capability, ports);
    const result = resultOf(call, capability, given.report);
    if (saidBefore(call, ticket, result)) return { call, wakes: [] };
    const attempt = openAttempt(call, ticket);
    if (!attempt) throw notTaken(call);

    const move = await lastWord(call, capability, result, ranSince(attempt), ports);
    const { tenant, call: id, epoch } = call;
    const timely = { before: attempt.deadline };
    const committed = await ports.store.commit({ tenant, call: id, epoch, ...move, timely });
    if (committed.kind === "done") {
      const ended = after(call, move, committed.epoch);
      return { call: ended, wakes: [...committed.wake, ...parentWake(ended)] };
    }
    // [P15] Late by the store's clock, whatever this process believes.
    if (committed.kind === "untimely") throw late();
  }
}

/** Held to the contract like anything a capability gives back; under another contract nobody can say whether it fits. */
function resultOf(call: Call, capability: Capability, said: Report): Result<Applied> {
  if (said.as !== "succeeded")
    return { kind: "fault", fault: faultOf(new CapabilityError(said.as, said.code, said.message)) };
  const exactly = capability.contractDigest === call.contractDigest;
  const value: Applied = exactly
    ? withinContract(capability, said.output)
    : { output: undefined, code: "contract-changed" };
  return { kind: "value", value };
}

function saidBefore(call: Call, ticket: string, result: Result<Applied>): boolean {
  const intended = call.events.findLast(({ kind }) => kind === "intended");
  const attempted = call.events.findLast(({ kind }) => kind === "attempted");
  if (call.state !== "closed" || intended?.data.ticket !== ticket) return false;
  if (result.kind === "fault")
    return attempted?.data.as === result.fault.kind && attempted.data.code === result.fault.code;
  return attempted?.data.as === "succeeded" && sameJson(call.payloads.output?.value, result.value.output);
}

function notTaken(call: Call): ParaphError {
  const attempted = call.events.findLast(({ kind }) => kind === "attempted");
  if (attempted?.data.as === "lost") return late();
  if (call.state === "closed")
    return new ParaphError(
      "call-closed",
      `This call has ended (${call.outcome?.kind}): what was reported first stands.`,
    );
  return new ParaphError(
    "not-taken",
    "Nobody took this call with this ticket: take it first, and report only what you performed for it.",
  );
}

function late(): ParaphError {
  return new ParaphError(
    "report-late",
    "The time to report is over, and nobody knows whether it happened: a person has to find out and say so.",
  );
}
