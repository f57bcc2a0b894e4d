import { type Call, previewOf } from "../call.ts";
import type { Capability, Preview } from "../capability.ts";
import { sameJson } from "../digest.ts";
import type { Json, JsonObject } from "../json.ts";
import type { Move, Ports } from "../ports.ts";
import type { Allow, Ask, Block } from "../ruling.ts";
import { agreeingVotes } from "./agreement.ts";
import { asking, digestOf, isIncomplete, mostRounds, previewPayload } from "./ask.ts";
import { standingChecks } from "./check.ts";
import { conclusion, nextAttempt } from "./conclude.ts";
import { coveringVotes } from "./cover.ts";
import { ending } from "./ending.ts";
import { see } from "./foresee.ts";
import { type Judged, recorded } from "./judge.ts";
import { judgeWhole } from "./judge-whole.ts";
import { commit, type Rest, rest, resting, wake } from "./move.ts";

/** What the intent rests on: seen a moment ago, and allowed. */
export interface Look {
  readonly kind: "on";
  readonly call: Call;
  readonly basis: Json | undefined;
  readonly judged: Judged<Allow>;
  readonly payloads: Move["payloads"];
}

/** [P5] What was approved is compared with the world as it is now, and policy is asked again with the real evidence. */
export async function lookAgain(call: Call, capability: Capability, ports: Ports): Promise<Rest | Look> {
  const previewed = await see(call, capability, capability.contract.timeoutMs, ports);
  if (previewed.kind === "fault") {
    // Looking has no effect, so whatever stopped it, nothing was performed.
    const kind = previewed.fault.kind === "permanent" ? "permanent" : "not-performed";
    const ran = { attempt: nextAttempt(call), started: ports.clock.now() };
    const fault = { kind: "fault", fault: { ...previewed.fault, kind } } as const;
    return resting(await commit(call, await conclusion(call, capability, fault, ran, ports), ports));
  }
  const moved = !sameJson(previewed.value?.basis, previewOf(call)?.basis);
  // While the basis stands, what people saw stands, to the letter.
  const current = moved ? previewed.value : previewOf(call);
  const standing = moved ? undefined : standingApproval(call, capability, ports);
  if (standing === "altered") return end(call, "refused", "approval-mismatch", ports);

  const checks = standingChecks(call, capability, current);
  const votes = standing?.votes ?? (moved ? [] : coveringVotes(call, capability, current, ports));
  const judged = await judgeWhole(call, capability, { preview: current, votes, checks }, ports);
  const { ruling, request } = judged;
  const code = moved
    ? "basis-moved"
    : call.barredVoters === undefined
      ? "not-applied-in-time"
      : "approver-barred";
  switch (ruling.kind) {
    case "allow":
      return {
        kind: "on",
        call,
        basis: current?.basis,
        judged: { ruling, request },
        payloads: [...previewPayload(call, current, ports), recorded(judged, ports).payload],
      };
    case "block":
      return refuse(call, { ruling, request }, ports);
    case "check":
      return checkAgain(call, judged, current, standing ? undefined : code, ports);
    case "ask":
      return askAgain(call, capability, { ruling, request }, current, code, ports);
  }
}

async function refuse(call: Call, judged: Judged<Block>, ports: Ports): Promise<Rest> {
  const { event, payload } = recorded(judged, ports);
  const { code } = judged.ruling;
  const events = [event, ...voided(call, code, event.at)];
  const move = await ending(
    call,
    { outcome: { kind: "refused", code }, events, payloads: [payload], ...voiding(call) },
    ports,
  );
  return resting(await commit(call, move, ports));
}

/** Checks were for what was seen before: what is seen now is checked anew, before anybody is asked about it. */
async function checkAgain(
  call: Call,
  judged: Judged,
  current: Preview | undefined,
  code: string | undefined,
  ports: Ports,
): Promise<Rest> {
  const at = ports.clock.now();
  const { event, payload } = recorded(judged, ports);
  const move: Move = {
    state: "checking",
    nextAt: at + ports.settings.sweepGraceMs,
    events: [...(code === undefined ? [] : voided(call, code, at)), event],
    payloads: [...previewPayload(call, current, ports), payload],
    unlock: call.lockKeys.length > 0,
    ...(code !== undefined && voiding(call)),
  };
  const moved = await commit(call, move, ports);
  return moved.kind === "rest" ? moved : rest(moved.call, [...moved.wakes, wake(moved.call)]);
}

/** The approval in force, if one is: approved, for exactly these bytes, and not too long ago. */
export function standingApproval(
  call: Call,
  capability: Capability,
  ports: Ports,
): Call["approval"] | "altered" {
  const { approval } = call;
  if (approval?.status !== "approved") return undefined;
  if (approval.digest !== digestOf(call, capability, previewOf(call))) return "altered";
  const votes = agreeingVotes(call, approval);
  const decidedAt = Math.max(...votes.map(({ at }) => at));
  const isInTime = ports.clock.now() - decidedAt <= capability.contract.applyWithinMs;
  return isInTime ? { ...approval, votes } : undefined;
}

async function askAgain(
  call: Call,
  capability: Capability,
  judged: Judged<Ask>,
  current: Preview | undefined,
  code: string,
  ports: Ports,
): Promise<Rest> {
  const now = ports.clock.now();
  if ((call.approval?.round ?? 0) >= mostRounds) return end(call, "refused", code, ports);
  if (call.deadline !== undefined && call.deadline <= now) return end(call, "expired", code, ports);
  if (isIncomplete(current)) return end(call, "refused", "preview-incomplete", ports);
  const move = asking(call, capability, judged, current, ports);
  const moved = await commit(
    call,
    {
      ...move,
      ...voiding(call),
      events: [...voided(call, code, now), ...move.events],
      unlock: call.lockKeys.length > 0,
    },
    ports,
  );
  return resting(moved);
}

export function voiding(call: Call): Pick<Move, "closeRound"> {
  return call.approval?.status === "approved"
    ? { closeRound: { approval: call.approval.id, status: "void" } }
    : {};
}

export function voided(call: Call, code: string, at: number): Move["events"] {
  if (call.approval?.status !== "approved") return [];
  return [{ kind: "round-closed", at, data: { round: call.approval.round, status: "void", code } }];
}

export async function end(
  call: Call,
  kind: "refused" | "expired",
  code: string,
  ports: Ports,
  about: JsonObject = {},
): Promise<Rest> {
  const events = voided(call, code, ports.clock.now());
  return resting(
    await commit(
      call,
      await ending(call, { outcome: { kind, code }, events, about, ...voiding(call) }, ports),
      ports,
    ),
  );
}
