import { type Attempt, type Call, previewOf } from "../call.ts";
import type { Capability } from "../capability.ts";
import type { Move, Ports } from "../ports.ts";
import { probe, withinContract } from "./attempt.ts";
import { conclusion } from "./conclude.ts";
import { ending } from "./ending.ts";
import { lost, ranSince } from "./figures.ts";
import { commit, type Rest, rest, resting, wake } from "./move.ts";
import { act } from "./perform.ts";

/** A call that kills its process every time must not do so for ever. */
const mostLost = 10;

/** An outside system that cannot be asked is asked so often, about twenty minutes long. Then a person must find out. */
const maxProbes = 9;
const firstProbePauseMs = 5_000;
const longestProbePauseMs = 10 * 60_000;

/** How often a segment that waits for another process's attempt looks whether that process is still there. */
const lookEveryMs = 1_000;

/** [P7] An intent without an outcome: wait while its process may still be acting, then do only what cannot double the effect. */
export async function recover(call: Call, capability: Capability, ports: Ports): Promise<Rest> {
  const open = call.attempts.findLast(({ ended }) => ended === undefined);
  if (open && capability.contract.performer)
    return stillActing(open, ports) ? rest(call) : unreported(call, capability, open, ports);
  if (open && stillActing(open, ports)) return rest(call, [wake(call, nextLook(open, ports))]);
  return again(call, capability, open, ports);
}

/** The same where its contract is not here any more: nothing can be repeated or asked, so a person must find out. */
export async function giveUp(call: Call, code: string, ports: Ports): Promise<Rest> {
  const open = call.attempts.findLast(({ ended }) => ended === undefined);
  if (open && stillActing(open, ports)) return rest(call, [wake(call, nextLook(open, ports))]);
  return unknown(call, open, code, ports);
}

/** After an attempt that may have acted (its end unseen, or seen as ambiguous), by what the contract promises. */
export async function again(
  call: Call,
  capability: Capability,
  open: Attempt | undefined,
  ports: Ports,
): Promise<Rest> {
  const basis = previewOf(call)?.basis;
  const { idempotency, keyTtlMs } = capability.contract;
  const rerun = async (): Promise<Rest> => {
    const going = { basis, because: "again", ...(open && { lost: open }) } as const;
    const acted = await act(call, capability, going, ports);
    // Frozen, or no place free: the rows say what they said, and the sweeper comes back to them.
    return acted.kind === "rest" ? acted : rest(call);
  };
  if (call.attempts.filter(({ ended }) => ended === "lost").length >= mostLost)
    return unknown(call, open, "lost-too-often", ports);

  switch (idempotency) {
    case "natural":
      return rerun();
    case "keyed": {
      const first = call.attempts[0]?.at ?? 0;
      return ports.clock.now() - first < keyTtlMs ? rerun() : unknown(call, open, "key-expired", ports);
    }
    case "probe":
      return ask(call, capability, open, rerun, ports);
    case "none":
      return unknown(call, open, "no-key-no-probe", ports);
  }
}

/** The outside system knows whether the effect is there; where it cannot tell either, a person must. */
async function ask(
  call: Call,
  capability: Capability,
  open: Attempt | undefined,
  rerun: () => Promise<Rest>,
  ports: Ports,
): Promise<Rest> {
  const attempt = open?.number ?? call.attempts.at(-1)?.number ?? 1;
  const found = await probe(call, capability, previewOf(call)?.basis, attempt, ports);
  if (found.kind === "fault") {
    const asked = probesFailed(call) + 1;
    const isOver = found.fault.kind === "permanent" || asked >= maxProbes;
    return isOver ? unknown(call, open, "probe-failed", ports) : probeLater(call, open, asked, ports);
  }
  switch (found.value.kind) {
    case "absent":
      return rerun();
    case "present": {
      const applied = withinContract(capability, found.value.output);
      const ran = open ? ranSince(open) : { attempt, started: ports.clock.now() };
      const move = await conclusion(call, capability, { kind: "value", value: applied }, ran, ports);
      return resting(await commit(call, move, ports));
    }
    default:
      // Unsure, or an answer that is none: a person must find out.
      return unknown(call, open, "probe-unsure", ports);
  }
}

/** The wait is on record with its number, so that one message carries it and the sweeper starts no second one. */
async function probeLater(call: Call, open: Attempt | undefined, probe: number, ports: Ports): Promise<Rest> {
  const at = ports.clock.now();
  const waitMs = Math.min(firstProbePauseMs * 2 ** (probe - 1), longestProbePauseMs);
  const move: Move = {
    state: "delayed",
    nextAt: at + waitMs,
    events: [...lost(open, "process-died", at), { kind: "delayed", at, data: { probe, waitMs } }],
    ...(open && { endAttempt: { attempt: open.number, as: "lost" } }),
  };
  return resting(await commit(call, move, ports));
}

/** Probes that could not be answered since the last attempt began. */
function probesFailed({ events }: Call): number {
  const begun = events.findLastIndex(({ kind }) => kind === "intended");
  return events.slice(begun + 1).filter(({ kind, data }) => kind === "delayed" && data.probe !== undefined)
    .length;
}

/**
 * The agent that took it has said nothing in time: nobody here can ask or repeat. A read has no effect to doubt. Which
 * process wrote the intent is no matter: it was never the one to act.
 */
async function unreported(call: Call, { contract }: Capability, open: Attempt, ports: Ports): Promise<Rest> {
  const kind = contract.effect === "read" ? "failed" : "unknown";
  const move = await ending(
    call,
    {
      outcome: { kind, code: "not-reported" },
      events: lost(open, "not-reported", ports.clock.now()),
      endAttempt: { attempt: open.number, as: "lost" },
    },
    ports,
  );
  return resting(await commit(call, { ...move, timely: { from: open.deadline } }, ports));
}

async function unknown(call: Call, open: Attempt | undefined, code: string, ports: Ports): Promise<Rest> {
  const at = ports.clock.now();
  const move = await ending(
    call,
    {
      outcome: { kind: "unknown", code },
      events: lost(open, "process-died", at),
      ...(open && { endAttempt: { attempt: open.number, as: "lost" } }),
    },
    ports,
  );
  return resting(await commit(call, move, ports));
}

/** Whether the process that wrote the intent may still be acting on it. */
export function stillActing(open: Attempt, ports: Ports): boolean {
  return !open.writerGone && ports.clock.now() < open.deadline + ports.settings.sweepGraceMs;
}

function nextLook(open: Attempt, ports: Ports): number {
  return Math.min(ports.clock.now() + lookEveryMs, open.deadline + ports.settings.sweepGraceMs);
}
