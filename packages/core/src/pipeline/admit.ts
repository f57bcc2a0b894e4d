import type { Call, Session } from "../call.ts";
import type { Capability, Preview } from "../capability.ts";
import type { Contract } from "../contract.ts";
import { canonical, commitment, digest } from "../digest.ts";
import type { NewEvent } from "../event.ts";
import { type Fault, timedOut } from "../fault.ts";
import type { Json } from "../json.ts";
import { ParaphError } from "../paraph-error.ts";
import type { Move, Ports, Wake } from "../ports.ts";
import type { Principal } from "../principal.ts";
import { type Allow, type Block, type Ruling, rule } from "../ruling.ts";
import { asking, previewPayload, ruled } from "./ask.ts";
import { inputOf, preview } from "./attempt.ts";
import { ending, payload } from "./ending.ts";
import { after, wake } from "./move.ts";
import { intention } from "./perform.ts";
import { readInPlace } from "./read-in-place.ts";

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
}

export interface Admitted {
  readonly call: Call;
  /** The key was known: this is the call it named. */
  readonly known: boolean;
  readonly wakes: readonly Wake[];
}

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

  const call = draft(request, capability, requestDigest, ports);
  const considered = await consider(call, capability, ports.settings.previewPatienceMs, ports);
  const here = performsHere(capability.contract);
  return open(call, await firstMove(call, capability, considered, here, ports), ports);
}

/** What policy says of a call, and of which preview. */
export type Considered =
  | { readonly kind: "ruled"; readonly ruling: Exclude<Ruling, Block>; readonly preview: Preview | undefined }
  | { readonly kind: "blocked"; readonly ruling: Block }
  | { readonly kind: "unpreviewed"; readonly fault: Fault };

/** Policy first, so that nothing is previewed for a call that could never be allowed; then with the preview. */
export async function consider(
  call: Call,
  capability: Capability,
  patienceMs: number,
  ports: Ports,
): Promise<Considered> {
  const subject = { principal: call.principal, contract: capability.contract, input: inputOf(call) };
  const first = rule(ports.policy, { ...subject, preview: undefined }, []);
  if (first.kind === "block") return { kind: "blocked", ruling: first };
  if (!capability.preview) return { kind: "ruled", ruling: first, preview: undefined };

  const previewed = await preview(call, capability, patienceMs, ports);
  if (previewed.kind === "fault") return { kind: "unpreviewed", fault: previewed.fault };
  const ruling = rule(ports.policy, { ...subject, preview: previewed.value }, []);
  if (ruling.kind === "block") return { kind: "blocked", ruling };
  return { kind: "ruled", ruling, preview: previewed.value };
}

/** Where a considered call goes first; also for a call whose preview came later than its admission. */
export async function firstMove(
  call: Call,
  capability: Capability,
  considered: Considered,
  here: boolean,
  ports: Ports,
): Promise<Move> {
  const at = ports.clock.now();
  switch (considered.kind) {
    case "blocked":
      return ending(
        call,
        {
          outcome: { kind: "refused", code: considered.ruling.code },
          events: [ruled(considered.ruling, at)],
        },
        ports,
      );
    case "unpreviewed":
      if (considered.fault === timedOut && call.epoch === 0) return previewing(at, ports);
      return ending(
        call,
        {
          outcome: { kind: "refused", code: "preview-failed" },
          payloads: [payload("error", considered.fault.message, ports)],
        },
        ports,
      );
    case "ruled":
      if (considered.ruling.kind === "ask")
        return asking(call, capability, considered.ruling, considered.preview, ports);
      if (canReadInPlace(call, capability))
        return readInPlace(call, capability, ruled(considered.ruling, at), ports);
      return here && needsNoWait(call, capability)
        ? actAtOnce(call, capability, considered.ruling, considered.preview, ports)
        : {
            state: "ready",
            nextAt: at + ports.settings.sweepGraceMs,
            events: [ruled(considered.ruling, at)],
            payloads: previewPayload(call, considered.preview, ports),
          };
  }
}

/** Nothing to wait for and nothing to keep others from: what was looked at a moment ago is what the effect rests on. */
function needsNoWait(call: Call, { contract }: Capability): boolean {
  return call.epoch === 0 && call.lockKeys.length === 0 && contract.effect !== "read";
}

/** Accepted and intended in one transaction, by a process that goes on to act at once. */
function actAtOnce(
  call: Call,
  capability: Capability,
  ruling: Allow,
  preview: Preview | undefined,
  ports: Ports,
): Move {
  const payloads = previewPayload(call, preview, ports);
  const move = intention(call, capability, { because: ruling, payloads }, ports);
  return { ...move, events: [ruled(ruling, ports.clock.now()), ...move.events] };
}

function known(name: string, ports: Ports): Capability {
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
function draft(request: CallRequest, capability: Capability, requestDigest: string, ports: Ports): Call {
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

async function open(call: Call, move: Move, ports: Ports): Promise<Admitted> {
  // What is left are the call's facts: where it stands is the move's to say.
  const { epoch, state, nextAt, deadline, outcome, approval, attempts, events, payloads, ...facts } = call;
  const given = Object.entries(payloads).map(([name, value]) => ({
    name: name as keyof Call["payloads"],
    ...value,
  }));
  const result = await ports.store.open({
    ...facts,
    ...move,
    events: [...events, ...move.events],
    payloads: [...given, ...(move.payloads ?? [])],
  });
  if (result.kind === "exists" && result.call.call !== call.call)
    return sameCall(result.call, call.requestDigest);
  const opened = after(call, move, 1);
  return {
    call: opened,
    known: false,
    wakes: opened.state === "closed" ? [] : [wake(opened, dueAt(opened))],
  };
}

/** When the engine should look: a question at its expiry, everything else now. */
function dueAt(call: Call): number | undefined {
  if (call.state === "asking") return call.approval?.expiresAt;
  return call.state === "delayed" ? call.nextAt : undefined;
}

function previewing(at: number, ports: Ports): Move {
  return { state: "previewing", nextAt: at + ports.settings.sweepGraceMs, events: [] };
}

/** A read has no effect to lose and nothing to lock: it needs no engine. */
function canReadInPlace(call: Call, capability: Capability): boolean {
  return capability.contract.effect === "read" && call.lockKeys.length === 0 && call.epoch === 0;
}
