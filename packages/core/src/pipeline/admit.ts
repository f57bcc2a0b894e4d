import type { Call, Session } from "../call.ts";
import type { Capability } from "../capability.ts";
import type { Contract } from "../contract.ts";
import { canonical, commitment, digest } from "../digest.ts";
import type { NewEvent } from "../event.ts";
import type { Json } from "../json.ts";
import { ParaphError } from "../paraph-error.ts";
import type { Move, Opening, Ports, Stop, Wake } from "../ports.ts";
import type { Principal } from "../principal.ts";
import { answerGuard, guardsOf, type Requirements } from "../requirements.ts";
import { consider, firstMove } from "./first-move.ts";
import { after, wake } from "./move.ts";

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
  let here = performsHere(capability.contract);
  for (let turn = 1; turn <= mostTurns; turn += 1) {
    const considered = await consider(call, capability, ports.settings.previewPatienceMs, ports);
    const opened = await open(call, await firstMove(call, capability, considered, here, ports), ports);
    if (opened.kind === "admitted") return opened.admitted;
    if (mayWait(opened.stop, here)) {
      here = false;
      continue;
    }
    if (opened.stop.reason === "frozen" || opened.stop.reason === "limit-reached") throw refusal(opened.stop);
    // A grant that is used up is not offered again; another set of policies has to be fetched.
    if (opened.stop.reason === "policy-changed") await ports.policy.refresh(call.tenant);
  }
  throw new ParaphError(
    "policy-unsettled",
    "Policy changed again and again while this was decided: nothing was done, try again.",
  );
}

/** A place that is taken is waited for on the engine, as by any call that could not act at once. */
function mayWait(stop: Stop, here: boolean): boolean {
  return here && stop.reason === "limit-reached" && stop.kind === "concurrency";
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
