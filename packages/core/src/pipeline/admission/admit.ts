import type { Call } from "../../call.ts";
import type { Capability } from "../../capability/capability.ts";
import type { Contract } from "../../capability/contract.ts";
import { findErasure } from "../../erasure.ts";
import { ParaphError } from "../../paraph-error.ts";
import type { Ports } from "../../ports.ts";
import type { GateRejection, NewCall, Store, Transition, Wake } from "../../store.ts";
import { type CallRequest, digestRequest, draftCall, requireCapability } from "../ruling/draft.ts";
import { applyTransition, createWake } from "../transition.ts";
import { afterDenials } from "./ask-throttle.ts";
import { canReadInPlace, type Evaluated, evaluateCall, transitionAfterRuling } from "./evaluate.ts";

/** The result of admitting a call. */
export interface Admission {
  readonly call: Call;
  /** Whether the idempotency key was already in use. If so, `call` is the call that the key names. */
  readonly known: boolean;
  /**
   * [TRUST 19] Whether Paraph joined the request to an earlier call of this session with the same request. The earlier
   * call is open, or its result is not delivered yet. `call` is then the earlier call, so that Paraph does not ask
   * people twice.
   */
  readonly joinedDuplicate?: boolean;
  readonly wakes: readonly Wake[];
}

/**
 * The maximum number of rulings on a call while Paraph opens it. Paraph rules again if policy, or a grant that the
 * ruling used, changed before the call was written. The limit is high, because adapters that come back one by one each
 * change the active policy set.
 */
const maxAttempts = 25;

/**
 * Admits a requested call: validates it, rules on it, previews it, and rules again with the preview. Admission changes
 * nothing but Paraph's own rows. The call is then refused, read in place, or accepted and passed to the engine.
 */
export async function admit(
  request: CallRequest,
  ports: Ports,
  performsHere: (contract: Contract) => boolean = () => false,
): Promise<Admission> {
  rejectReservedKey(request);
  const capability = requireCapability(request.principal.tenant, request.capability, ports);
  const requestDigest = digestRequest(request);
  const earlier =
    request.key === undefined ? undefined : await ports.store.findByKey(request.principal, request.key);
  if (earlier) return returnKnownCall(earlier, requestDigest);
  const call = draftCall(request, capability, requestDigest, ports);
  const look = () => evaluateCall(call, capability, ports.settings.previewPatienceMs, ports);
  const seen = (await mayReadAtOnce(call, capability, ports)) ? await look() : undefined;
  if (!isReadAtOnce(seen)) {
    const duplicate = await findDuplicate(request, requestDigest, ports);
    if (duplicate) return joinDuplicate(duplicate);
  }
  const write: Store["open"] = (newCall) =>
    ports.store.open(request.undelivered ? { ...newCall, undelivered: true } : newCall);
  return openCall(call, capability, reuseFirst(seen, look), performsHere(capability.contract), ports, write);
}

/**
 * Keys that Paraph itself uses for steps, undos and retries. If a caller could use such a key, Paraph would mistake the
 * caller's call for a step, undo or retry.
 */
const reservedKey = /^(?:(?:undo|retry):call_|call_[^/]*\/)/;

/**
 * [TRUST 34] Rejects a caller's key that looks like one of Paraph's own keys. Paraph's own calls pass: steps are opened
 * elsewhere, and undos and retries carry `undoes` or `repeats`, which no caller can set.
 */
function rejectReservedKey({ key, undoes, repeats }: CallRequest): void {
  if (key === undefined || !reservedKey.test(key) || undoes !== undefined || repeats) return;
  throw new ParaphError(
    "key-reserved",
    "This idempotency key is reserved for steps, undos and retries of calls. Choose a key that does not begin with `call_`, `undo:` or `retry:`.",
  );
}

function joinDuplicate(call: Call): Admission {
  return { call, known: true, joinedDuplicate: true, wakes: [] };
}

/**
 * Returns whether Paraph may perform the call as a read during admission. Such a call closes before the same request
 * can come again, so Paraph need not search for a duplicate.
 */
async function mayReadAtOnce(call: Call, capability: Capability, ports: Ports): Promise<boolean> {
  return (
    canReadInPlace(call, capability, "again", ports) &&
    (await ports.freezes.inForce(call.principal, capability.contract)) === undefined
  );
}

/**
 * Returns whether policy allows the read without a grant. A read that uses a grant needs an intent, because the intent
 * spends the grant.
 */
function isReadAtOnce(considered: Evaluated | undefined): boolean {
  if (considered?.kind !== "ruled") return false;
  const { ruling } = considered.ruledCall;
  return ruling.kind === "allow" && ruling.grant === undefined;
}

/**
 * Returns a function that provides an evaluation for each ruling. The first time, that function returns the given
 * evaluation. After that, it evaluates the call again every time.
 */
export function reuseFirst(evaluated: Evaluated | undefined, look: () => Promise<Evaluated>) {
  let first = evaluated;
  return async () => {
    const here = first ?? (await look());
    first = undefined;
    return here;
  };
}

/** Opens a drafted call in the state that the ruling gives it. Throws if a freeze or a limit rejects the call. */
export async function openCall(
  call: Call,
  capability: Capability,
  look: () => Promise<Evaluated>,
  willing: boolean,
  ports: Ports,
  write: Store["open"] = (newCall) => ports.store.open(newCall),
): Promise<Admission> {
  const frozen = await ports.freezes.inForce(call.principal, capability.contract);
  if (frozen) throw toRejectionError({ reason: "frozen", freeze: frozen });
  let here = willing;
  for (let turn = 1; turn <= maxAttempts; turn += 1) {
    const move = await transitionAfterRuling(call, capability, await look(), here, ports);
    const run = willing && continuesInline(move) ? ({ ...move, segment: "runs" } as const) : move;
    const opened = await writeCall(call, run, write, ports);
    if (opened.kind === "admitted") return opened.admitted;
    if (canWaitForPlace(opened.stop, here)) {
      here = false;
      continue;
    }
    if (opened.stop.reason === "frozen" || opened.stop.reason === "limit-reached")
      throw toRejectionError(opened.stop);
    // Loads a changed policy set before the next ruling. A used-up grant needs no reload, because it does not come
    // back.
    if (opened.stop.reason === "policy-changed") await ports.policy.refresh(call.tenant);
  }
  throw new ParaphError(
    "policy-unsettled",
    "The policy changed repeatedly while Paraph evaluated the call, so nothing was done. Try again.",
  );
}

/** Returns whether the process that admits the call can go on to run it. */
function continuesInline({ state }: Transition): boolean {
  return state === "performing" || state === "ready" || state === "checking";
}

/**
 * Returns whether the call can wait for a free place. It then waits in the engine, like any call that cannot act
 * immediately.
 */
function canWaitForPlace(stop: GateRejection, here: boolean): boolean {
  return here && stop.reason === "limit-reached" && stop.kind === "concurrency";
}

/** Searches for a duplicate only if the caller gave no key. Requests with different keys are always different calls. */
async function findDuplicate(
  request: CallRequest,
  requestDigest: string,
  ports: Ports,
): Promise<Call | undefined> {
  const session = request.session?.session;
  if (request.key !== undefined || session === undefined) return undefined;
  return ports.store.findDuplicate(request.principal, session, requestDigest);
}

/** Returns the error for a rejected call. Paraph records nothing about a call that it did not accept. */
export function toRejectionError(
  stop: Extract<GateRejection, { reason: "frozen" | "limit-reached" }>,
): ParaphError {
  if (stop.reason === "frozen")
    return new ParaphError(
      "frozen",
      `This ${stop.freeze.kind} is frozen (\`${stop.freeze.id}\`). Paraph accepts no calls for it until an administrator thaws it.`,
    );
  const then = stop.resetAt === undefined ? "when other calls have ended" : "when its window resets";
  const what =
    stop.limit === afterDenials
      ? "People denied many of your calls in the last hour, so you can request approval only once a minute. Try again in a minute."
      : `The limit \`${stop.limit}\` is reached. Try again ${then}.`;
  return new ParaphError("limit-reached", what, stop.resetAt, stop.limit);
}

/**
 * [P1] Returns the call that already uses the key. Throws if that call has a different request digest. The digest of an
 * erased call is gone, so every request with its key gets that call, and the effect never happens twice.
 */
function returnKnownCall(call: Call, requestDigest: string): Admission {
  if (call.requestDigest === requestDigest || findErasure(call)) return { call, known: true, wakes: [] };
  throw keyReusedError(call);
}

function keyReusedError({ call }: Call): ParaphError {
  return new ParaphError(
    "key-reused",
    `The idempotency key was already used for another request (call \`${call}\`). Choose a new key.`,
  );
}

/**
 * [TRUST 34] Returns whether both calls were opened as the same step of the same composite, or both outside any
 * composite. If not, Paraph must not return one of them in place of the other.
 */
export function isSamePlace({ parent }: Call, { parent: wanted }: Call): boolean {
  return parent?.call === wanted?.call && parent?.step === wanted?.step;
}

/** The result of writing a call: it is admitted, or the gate rejected it. */
type OpenAttempt =
  | { readonly kind: "admitted"; readonly admitted: Admission }
  | { readonly kind: "stopped"; readonly stop: GateRejection };

/** The error for a step whose composite is closed, or belongs to another segment now. */
export class ParentMovedOn extends Error {}

/** Returns a drafted call as the store writes it, with its first transition. */
export function toNewCall(call: Call, move: Transition): NewCall {
  // The remaining fields are the call's facts. The transition sets the fields that are left out here.
  const { epoch, state, nextAt, deadline, outcome, approval, attempts, events, payloads, ...facts } = call;
  const { resolution: _none, deaths: _unborn, stuck: _free, restoredAt: _restore, ...written } = facts;
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

async function writeCall(
  call: Call,
  move: Transition,
  write: Store["open"],
  ports: Pick<Ports, "links">,
): Promise<OpenAttempt> {
  const result = await write(toNewCall(call, move));
  if (result.kind === "stopped") return result;
  if (result.kind === "lost") throw new ParentMovedOn();
  if (result.kind === "undone")
    throw new ParaphError(
      "already-undone",
      `Call \`${result.by}\` has undone this call or a part of it, or is still undoing it. Check the outcome of that call before you try again.`,
    );
  if (result.kind === "duplicate") return { kind: "admitted", admitted: joinDuplicate(result.call) };
  if (result.kind === "exists" && !isSamePlace(result.call, call)) throw keyReusedError(result.call);
  if (result.kind === "exists")
    return { kind: "admitted", admitted: returnKnownCall(result.call, call.requestDigest) };
  ports.links.opened(call);
  const opened = applyTransition(call, move, 1);
  const wakes = opened.state === "closed" ? [] : [createWake(opened, dueAt(opened))];
  return { kind: "admitted", admitted: { call: opened, known: false, wakes } };
}

/**
 * Returns the time at which the engine should run the next segment. For a waiting round or retry, that time is
 * `nextAt`. For every other state, the function returns undefined, which means now.
 */
export function dueAt(call: Call): number | undefined {
  return call.state === "asking" || call.state === "delayed" ? call.nextAt : undefined;
}
