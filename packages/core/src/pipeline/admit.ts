import type { Call, Session } from "../call.ts";
import type { Capability, Preview } from "../capability.ts";
import type { Contract } from "../contract.ts";
import { canonical, commitment, digest } from "../digest.ts";
import type { NewEvent } from "../event.ts";
import { type Fault, timedOut } from "../fault.ts";
import type { Json } from "../json.ts";
import { ParaphError } from "../paraph-error.ts";
import type { Move, Opening, Ports, Stop, Wake } from "../ports.ts";
import type { Principal } from "../principal.ts";
import { answerGuard, guardsOf, type Requirements } from "../requirements.ts";
import type { Allow, Block, Ruling } from "../ruling.ts";
import { asking, previewPayload } from "./ask.ts";
import { preview } from "./attempt.ts";
import { ending, payload } from "./ending.ts";
import { gateFor, type Judged, judge, recorded } from "./judge.ts";
import { after, wake } from "./move.ts";
import { intention } from "./perform.ts";
import { readInPlace } from "./read-in-place.ts";
import { slowed } from "./slow.ts";

export interface CallRequest {
  readonly principal: Principal;
  readonly capability: string;
  readonly input: Json;
  /** [P1] The caller's own name for this call: asked twice, it happens once. */
  readonly key?: string;
  readonly session?: Session;
  /** What the agent says it is for: shown to approvers as its words, never believed. */
  readonly purpose?: string;
  readonly trace?: string;
  readonly requirements?: Requirements;
}

export interface Admitted {
  readonly call: Call;
  /** The key was known: this is the call it named. */
  readonly known: boolean;
  /** [TRUST 19] The same was being asked in this session already: this is that call, and nobody is asked twice. */
  readonly joined?: boolean;
  readonly wakes: readonly Wake[];
}

/** How often a question is put anew because policy, or a grant it rested on, changed before the answer was written. */
const mostTurns = 5;

/**
 * Admission changes nothing outside our rows: contract, policy, preview, policy with the preview; then the
 * call is refused, read in place, or accepted and handed to the engine.
 */
export async function admit(
  request: CallRequest,
  ports: Ports,
  performsHere: (contract: Contract) => boolean = () => false,
): Promise<Admitted> {
  const capability = known(request.capability, ports);
  const requestDigest = digest({ capability: request.capability, input: request.input });
  const earlier =
    request.key === undefined ? undefined : await ports.store.findByKey(request.principal, request.key);
  if (earlier) return sameCall(earlier, requestDigest);
  const twin = await twinOf(request, requestDigest, ports);
  if (twin) return { call: twin, known: true, joined: true, wakes: [] };

  const frozen = ports.freezes.inForce(request.principal, capability.contract);
  if (frozen) throw refusal({ reason: "frozen", freeze: frozen });
  const call = draft(request, capability, requestDigest, ports);
  const here = performsHere(capability.contract);
  for (let turn = 1; turn <= mostTurns; turn += 1) {
    const considered = await consider(call, capability, ports.settings.previewPatienceMs, ports);
    const opened = await open(call, await firstMove(call, capability, considered, here, ports), ports);
    if (opened.kind === "admitted") return opened.admitted;
    if (opened.stop.reason === "frozen" || opened.stop.reason === "limit-reached") throw refusal(opened.stop);
    // A grant that is used up is not offered again; another set of policies has to be fetched.
    if (opened.stop.reason === "policy-changed") await ports.policy.refresh(call.tenant);
  }
  throw new ParaphError(
    "policy-unsettled",
    "Policy changed again and again while this was decided: nothing was done, try again.",
  );
}

/** Only where the caller has not named its call: two names are two calls. */
async function twinOf(request: CallRequest, requestDigest: string, ports: Ports): Promise<Call | undefined> {
  const session = request.session?.session;
  if (request.key !== undefined || session === undefined) return undefined;
  return ports.store.findTwin(request.principal, session, requestDigest);
}

/** What stands in the way of any call at all, told to the caller: nothing is on record of a call that was not taken. */
function refusal(stop: Extract<Stop, { reason: "frozen" | "limit-reached" }>): ParaphError {
  if (stop.reason === "frozen")
    return new ParaphError(
      "frozen",
      `This ${stop.freeze.kind} is frozen (\`${stop.freeze.id}\`): nothing of it is accepted until an administrator thaws it.`,
    );
  const then = stop.resetAt === undefined ? "once others are done" : "when its window begins anew";
  return new ParaphError(
    "limit-reached",
    `The limit \`${stop.limit}\` is reached: try again ${then}.`,
    stop.resetAt,
  );
}

/** What policy says of a call, and of which preview. */
export type Considered =
  | {
      readonly kind: "ruled";
      readonly judged: Judged<Exclude<Ruling, Block>>;
      readonly preview: Preview | undefined;
    }
  | { readonly kind: "blocked"; readonly judged: Judged<Block> }
  | { readonly kind: "unpreviewed"; readonly fault: Fault };

/** Policy first, so that nothing is previewed for a call that could never be allowed; then with the preview. */
export async function consider(
  call: Call,
  capability: Capability,
  patienceMs: number,
  ports: Ports,
): Promise<Considered> {
  const first = await judge(call, capability, { preview: undefined }, ports);
  if (first.ruling.kind === "block" || !capability.preview) return ruledOn(first, undefined);

  const previewed = await preview(call, capability, patienceMs, ports);
  if (previewed.kind === "fault") return { kind: "unpreviewed", fault: previewed.fault };
  return ruledOn(await judge(call, capability, { preview: previewed.value }, ports), previewed.value);
}

/** A ruling sorted by whether the call goes on. */
export function ruledOn({ ruling, request }: Judged, preview: Preview | undefined): Considered {
  if (ruling.kind === "block") return { kind: "blocked", judged: { ruling, request } };
  return { kind: "ruled", judged: { ruling, request }, preview };
}

/** Where a considered call goes first; also for a call whose preview came later than its admission. */
export async function firstMove(
  call: Call,
  capability: Capability,
  considered: Considered,
  here: boolean,
  ports: Ports,
): Promise<Move> {
  switch (considered.kind) {
    case "blocked":
      return blocked(call, capability, considered.judged, ports);
    case "unpreviewed":
      if (considered.fault === timedOut && call.epoch === 0) return previewing(call, capability, ports);
      return ending(
        call,
        {
          outcome: { kind: "refused", code: "preview-failed" },
          payloads: [payload("error", considered.fault.message, ports)],
        },
        ports,
      );
    case "ruled":
      return slowed(
        call,
        considered.judged.ruling,
        ports,
        gated(
          call,
          capability,
          considered.judged.ruling,
          ports,
          await onward(call, capability, considered, here, ports),
        ),
      );
  }
}

/** What follows from a ruling that lets the call go on. */
async function onward(
  call: Call,
  capability: Capability,
  { judged, preview }: Extract<Considered, { kind: "ruled" }>,
  here: boolean,
  ports: Ports,
): Promise<Move> {
  const { ruling, request } = judged;
  if (ruling.kind === "ask") return asking(call, capability, { ruling, request }, preview, ports);
  if (ruling.kind === "check") return waiting("checking", call, judged, preview, ports);
  if (canReadInPlace(call, capability)) return readInPlace(call, capability, judged, ports);
  return here && needsNoWait(call, capability)
    ? actAtOnce(call, capability, { ruling, request }, preview, ports)
    : waiting("ready", call, judged, preview, ports);
}

/** Policy's no ends the call, on record with its reasons. */
async function blocked(
  call: Call,
  capability: Capability,
  judged: Judged<Block>,
  ports: Ports,
): Promise<Move> {
  const { event, payload } = recorded(judged, ports);
  const { code } = judged.ruling;
  const end = { outcome: { kind: "refused", code }, events: [event], payloads: [payload] } as const;
  return gated(call, capability, judged.ruling, ports, await ending(call, end, ports));
}

/** Only acceptance stands before this gate: what was accepted meets the next one at its intent. */
function gated(call: Call, capability: Capability, ruling: Ruling, ports: Ports, move: Move): Move {
  return call.epoch === 0 ? { ...move, gate: gateFor(call, capability, ruling, ports) } : move;
}

function waiting(
  state: "checking" | "ready",
  call: Call,
  judged: Judged,
  preview: Preview | undefined,
  ports: Ports,
): Move {
  const { event, payload } = recorded(judged, ports);
  return {
    state,
    nextAt: ports.clock.now() + ports.settings.sweepGraceMs,
    events: [event],
    payloads: [...previewPayload(call, preview, ports), payload],
  };
}

/** Nothing to wait for and nothing to keep others from: what was looked at a moment ago is what the effect rests on. */
function needsNoWait(call: Call, { contract }: Capability): boolean {
  return call.epoch === 0 && call.lockKeys.length === 0 && contract.effect !== "read";
}

/** Accepted and intended in one transaction, by a process that goes on to act at once. */
function actAtOnce(
  call: Call,
  capability: Capability,
  judged: Judged<Allow>,
  preview: Preview | undefined,
  ports: Ports,
): Move {
  const ruled = recorded(judged, ports);
  const payloads = previewPayload(call, preview, ports);
  const move = intention(call, capability, { because: judged.ruling, payloads }, ports);
  return {
    ...move,
    events: [ruled.event, ...move.events],
    payloads: [...payloads, ruled.payload],
  };
}

export function known(name: string, ports: Ports): Capability {
  const capability = ports.catalog.find(name);
  if (capability) return capability;
  throw new ParaphError(
    "capability-unknown",
    `There is no capability \`${name}\` here: \`paraph capabilities\` lists those there are.`,
  );
}

/** [P1] Same key and digest: the same call. Another digest: refused. */
function sameCall(call: Call, requestDigest: string): Admitted {
  if (call.requestDigest === requestDigest) return { call, known: true, wakes: [] };
  throw new ParaphError(
    "key-reused",
    `The key was used before for another request (call \`${call.call}\`): choose a new key.`,
  );
}

/** The call as it will be opened, with its acceptance as the first event. */
export function draft(
  request: CallRequest,
  capability: Capability,
  requestDigest: string,
  ports: Ports,
): Call {
  const parsed = capability.parseInput(request.input);
  if (parsed.kind === "invalid") {
    throw new ParaphError(
      "input-invalid",
      `The input does not fit \`${capability.contract.name}\`: ${parsed.faults.join("; ")}.`,
    );
  }
  const at = ports.clock.now();
  const input = { salt: ports.random.salt(), value: parsed.value };
  const purpose =
    request.purpose === undefined ? undefined : { salt: ports.random.salt(), value: request.purpose };
  const id = ports.random.id("call");
  const { name, version } = capability.contract;
  const accepted: NewEvent = {
    kind: "accepted",
    at,
    data: {
      capability: name,
      version,
      principal: request.principal.id,
      ...(request.principal.onBehalfOf !== undefined && { onBehalfOf: request.principal.onBehalfOf }),
      input: commitment(input.salt, input.value),
    },
  };
  return {
    tenant: request.principal.tenant,
    call: id,
    epoch: 0,
    state: "ready",
    principal: request.principal,
    key: request.key ?? id,
    capability: name,
    version,
    contractDigest: capability.contractDigest,
    requestDigest,
    session: request.session ?? {},
    trace: request.trace,
    lockKeys: lockKeys(capability, parsed.value),
    requirements: [...guardsOf(request.requirements), ...(capability.parseAnswer ? [answerGuard] : [])],
    createdAt: at,
    nextAt: undefined,
    deadline: undefined,
    outcome: undefined,
    approval: undefined,
    attempts: [],
    events: [{ seq: 1, ...accepted }],
    payloads: { input, ...(purpose && { purpose }) },
  };
}

/** [P11] A call whose locks cannot be told is not admitted: it could run beside one it must not. */
function lockKeys(capability: Capability, input: Json): readonly string[] {
  try {
    const keys = capability.locks(input);
    canonical(keys);
    if (keys.every((key) => typeof key === "string" && !key.includes("\0"))) return keys;
  } catch {
    // Told below.
  }
  throw new ParaphError(
    "input-invalid",
    `The locks that \`${capability.contract.name}\` needs cannot be told from this input: see its \`locks\`.`,
  );
}

/** Written, known already, or stopped at the gate. */
type OpenedCall =
  | { readonly kind: "admitted"; readonly admitted: Admitted }
  | { readonly kind: "stopped"; readonly stop: Stop };

/** A drafted call as it is written, with its first move. */
export function openingOf(call: Call, move: Move): Opening {
  // What is left are the call's facts: where it stands is the move's to say.
  const { epoch, state, nextAt, deadline, outcome, approval, attempts, events, payloads, ...facts } = call;
  const { resolution: _none, ...written } = facts;
  const given = Object.entries(payloads).map(([name, value]) => ({
    name: name as keyof Call["payloads"],
    ...value,
  }));
  return {
    ...written,
    ...(deadline !== undefined && { deadline }),
    ...move,
    events: [...events, ...move.events],
    payloads: [...given, ...(move.payloads ?? [])],
  };
}

async function open(call: Call, move: Move, ports: Ports): Promise<OpenedCall> {
  const result = await ports.store.open(openingOf(call, move));
  if (result.kind === "stopped") return result;
  if (result.kind === "exists" && result.call.call !== call.call)
    return { kind: "admitted", admitted: sameCall(result.call, call.requestDigest) };
  const opened = after(call, move, 1);
  const wakes = opened.state === "closed" ? [] : [wake(opened, dueAt(opened))];
  return { kind: "admitted", admitted: { call: opened, known: false, wakes } };
}

/** When the engine should look: at a question when its next step is due, everything else now. */
export function dueAt(call: Call): number | undefined {
  return call.state === "asking" || call.state === "delayed" ? call.nextAt : undefined;
}

/** Accepted before policy has seen a preview: it is asked when there is one. */
function previewing(call: Call, capability: Capability, ports: Ports): Move {
  return {
    state: "previewing",
    nextAt: ports.clock.now() + ports.settings.sweepGraceMs,
    events: [],
    gate: gateFor(call, capability, "again", ports),
  };
}

/** A read has no effect to lose and nothing to lock: it needs no engine. */
function canReadInPlace(call: Call, capability: Capability): boolean {
  return capability.contract.effect === "read" && call.lockKeys.length === 0 && call.epoch === 0;
}
