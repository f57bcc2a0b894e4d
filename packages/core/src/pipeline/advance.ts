import { type Call, type CallRef, hasBegun, mayHaveActed, previewOf } from "../call.ts";
import type { Capability } from "../capability.ts";
import type { Move, Ports, Wake } from "../ports.ts";
import { mostRounds } from "./ask.ts";
import { attend } from "./attend.ts";
import { checkedMove, runChecks, standingChecks } from "./check.ts";
import { compose } from "./compose.ts";
import { contractChanged, mayStillCome } from "./contract-changed.ts";
import { coveringVotes } from "./cover.ts";
import { endCrashing, hasCrashedTooOften } from "./crashing-call.ts";
import { ending } from "./ending.ts";
import { type Considered, consider, firstMove, ruledOn } from "./first-move.ts";
import { judgeWhole } from "./judge-whole.ts";
import { standingApproval, voided, voiding } from "./look-again.ts";
import { after, commit, type Rest, rest, resting } from "./move.ts";
import { lapse } from "./offer.ts";
import { carryOn, perform, waitsForPlace } from "./perform.ts";
import { again, recover } from "./recover.ts";
import { segmentFailed, stick } from "./segment-failed.ts";
import { endIfUnproven } from "./unproven.ts";

/** Where the call stands now, if it is known here, and the messages that leaves to send. */
export interface Advanced {
  readonly call: Call | undefined;
  readonly wakes: readonly Wake[];
  /** Why nothing was done about it here although something is due. */
  readonly left?: "contract-not-here" | "capability-away";
}

/** Runs the segment inside the call's own trace, which began where it was admitted. */
export type Within = (trace: string | undefined, body: () => Promise<Advanced>) => Promise<Advanced>;

/**
 * One segment: from where the rows say the call stands to its next wait or its outcome. Run by any process,
 * any number of times, on any message or none: what is due is decided by the rows alone.
 */
export async function advance(
  ref: CallRef,
  ports: Ports,
  within: Within = (_, body) => body(),
): Promise<Advanced> {
  const call = await ports.store.begin(ref);
  if (!call || call.stuck !== undefined) return { call, wakes: [] };
  return run(call, ports, within, (capability) => segment(call, capability, ports));
}

/** The same for a call that this process has just admitted; where that wrote the intent as well, it goes on to act. */
export async function proceed(
  call: Call,
  ports: Ports,
  within: Within = (_, body) => body(),
): Promise<Advanced> {
  return run(call, ports, within, (capability) =>
    call.state === "performing" ? carryOn(call, capability, ports) : segment(call, capability, ports),
  );
}

async function run(
  call: Call,
  ports: Ports,
  within: Within,
  body: (capability: Capability) => Promise<Rest>,
): Promise<Advanced> {
  if (call.state === "closed") return { call, wakes: [] };
  const capability = exactly(call, ports);
  return within(call.trace, async () => {
    try {
      return await goOn(call, capability, ports, body);
    } catch (error) {
      return segmentFailed(call, error, ports);
    }
  });
}

async function goOn(
  call: Call,
  capability: Capability | undefined,
  ports: Ports,
  body: (capability: Capability) => Promise<Rest>,
): Promise<Advanced> {
  const ended = await endIfUnproven(call, ports);
  if (ended) return ended;
  if (hasBegun(call)) return composed(call, capability, ports);
  if (!capability) return contractChanged(call, ports);
  const stood = hasCrashedTooOften(call)
    ? await endCrashing(call, capability, ports)
    : await body(capability);
  if (stood.call.state !== "composing") return stood;
  const { wakes, ...rested } = await composed(stood.call, capability, ports);
  return { ...rested, wakes: [...stood.wakes, ...wakes] };
}

/** [P13] The steps of a composite are run here too: the same segments that any message would run. */
async function composed(call: Call, capability: Capability | undefined, ports: Ports): Promise<Advanced> {
  if (!capability && mayStillCome(call, ports)) return { ...rest(call), left: "contract-not-here" };
  // What its steps did stands, so a person decides whether it goes on.
  if (hasCrashedTooOften(call)) return stick(call, "crashed-repeatedly", ports);
  return compose(call, capability, ports, (child) =>
    "epoch" in child ? proceed(child, ports) : advance(child, ports),
  );
}

async function segment(call: Call, capability: Capability, ports: Ports): Promise<Rest> {
  switch (call.state) {
    case "previewing":
      return lateAdmission(call, capability, ports);
    case "checking":
      return check(call, capability, ports);
    case "asking":
      return attend(call, ports);
    case "ready":
    case "queued":
    case "parked":
      return perform(call, capability, ports);
    case "delayed":
      if (waitsForPlace(call)) return perform(call, capability, ports);
      if (!backOffOver(call, ports)) return rest(call);
      return mayHaveActed(call)
        ? again(call, capability, undefined, ports)
        : perform(call, capability, ports);
    case "offered":
      return lapse(call, ports);
    case "performing":
      return recover(call, capability, ports);
    case "composing":
    case "closed":
      return rest(call);
  }
}

/** [P3] A preview that took longer than its caller was kept waiting is made here, in its contract's own time. */
async function lateAdmission(call: Call, capability: Capability, ports: Ports): Promise<Rest> {
  const considered = await consider(call, capability, capability.contract.timeoutMs, ports);
  const moved = await commit(call, await firstMove(call, capability, considered, false, ports), ports);
  if (moved.kind === "on" && moved.call.state === "ready") return perform(moved.call, capability, ports);
  return resting(moved);
}

/** Runs what policy demands and has no result for, and asks policy again with the results. */
async function check(call: Call, capability: Capability, ports: Ports): Promise<Rest> {
  const preview = previewOf(call);
  const approval = standingApproval(call, capability, ports);
  const votes =
    approval === "altered" ? [] : (approval?.votes ?? coveringVotes(call, capability, preview, ports));
  const had = standingChecks(call, capability, preview);
  const before = await judgeWhole(call, capability, { preview, votes, checks: had }, ports);
  const wanted = before.ruling.kind === "check" ? before.ruling.checks : [];
  const results = [...had, ...(await runChecks(call, capability, wanted, preview, ports))];
  const judged = await judgeWhole(call, capability, { preview, votes, checks: results }, ports);

  // From here on the call is one that was checked: a receipt that ends it tells so.
  const found = checkedMove(call, capability, results, preview, ports);
  const checked = after(call, { state: call.state, nextAt: call.nextAt, ...found }, call.epoch);
  const move = await afterChecks(checked, capability, ruledOn(judged, preview), ports);
  const moved = await commit(
    call,
    {
      ...move,
      events: [...found.events, ...move.events],
      payloads: [...found.payloads, ...(move.payloads ?? [])],
    },
    ports,
  );
  if (moved.kind === "on" && moved.call.state === "ready") return perform(moved.call, capability, ports);
  return resting(moved);
}

/** As after admission, but there may have been rounds before: one that was approved does not survive another question. */
async function afterChecks(
  call: Call,
  capability: Capability,
  considered: Considered,
  ports: Ports,
): Promise<Move> {
  const asks = considered.kind === "ruled" && considered.judged.ruling.kind === "ask";
  if (!asks && considered.kind !== "blocked") return firstMove(call, capability, considered, false, ports);
  const tooOften = asks && (call.approval?.round ?? 0) >= mostRounds;
  const again = tooOften ? "asked-too-often" : "checked-again";
  const code = considered.kind === "blocked" ? considered.judged.ruling.code : again;
  const over = { events: voided(call, code, ports.clock.now()), ...voiding(call) };
  const free = after(call, { state: call.state, nextAt: call.nextAt, ...over }, call.epoch);
  const move = await (tooOften
    ? ending(free, { outcome: { kind: "refused", code } }, ports)
    : firstMove(free, capability, considered, false, ports));
  return { ...move, ...over, events: [...over.events, ...move.events] };
}

/** Performed only by exactly the contract it was admitted, previewed and approved under, and while that can be used. */
function exactly(call: Call, ports: Ports): Capability | undefined {
  const capability = ports.catalog.find(call.tenant, call.capability);
  return capability?.contractDigest === call.contractDigest && !capability.away ? capability : undefined;
}

/**
 * When the back-off ends: as its event says, since the sweeper moves `nextAt` whenever it has looked. A back-off
 * that began in the future was stamped by a clock that has since been put right: it is not waited for.
 */
function backOffOver(call: Call, ports: Ports): boolean {
  const delayed = call.events.findLast(({ kind }) => kind === "delayed");
  if (!delayed) return false;
  const putRight = delayed.at > ports.clock.now() + clockTolerance;
  return putRight || isDue(delayed.at + Number(delayed.data.waitMs), ports);
}

/** More than processes' copies of the clock ever differ, less than anyone minds a back-off cut short. */
const clockTolerance = 10_000;

/**
 * A message that comes before its time is not answered with another timer: the one that belongs to the wait
 * is under way, and the sweeper stands behind it. The tolerance is for engines whose clock runs a little ahead.
 */
function isDue(at: number | undefined, ports: Ports): boolean {
  return at !== undefined && at <= ports.clock.now() + 50;
}
