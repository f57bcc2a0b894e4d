import type { Call } from "../../call.ts";
import type { Capability } from "../../capability/capability.ts";
import type { Contract } from "../../capability/contract.ts";
import { ParaphError } from "../../paraph-error.ts";
import type { GateRejection, NewCall, Ports, Store, Transition, Wake } from "../../ports.ts";
import { applyTransition, createWake } from "../transition.ts";
import { afterDenials } from "./ask-throttle.ts";
import { type CallRequest, digestRequest, draftCall, requireCapability } from "./draft.ts";
import { canReadInPlace, type Evaluated, evaluateCall, transitionAfterRuling } from "./evaluate.ts";

export interface Admission {
  readonly call: Call;
  /** The key was known: this is the call it named. */
  readonly known: boolean;
  /** [TRUST 19] The same was being asked in this session already, or was never answered: this is that call, and nobody is asked twice. */
  readonly joinedDuplicate?: boolean;
  readonly wakes: readonly Wake[];
}

/** How often a question is put anew because policy, or a grant it rested on, changed before the answer was written. */
const maxAttempts = 5;

/**
 * Admission changes nothing outside our rows: contract, policy, preview, policy with the preview; then the
 * call is refused, read in place, or accepted and handed to the engine.
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
  const seen = mayReadAtOnce(call, capability, ports) ? await look() : undefined;
  if (!isReadAtOnce(seen)) {
    const twin = await findDuplicate(request, requestDigest, ports);
    if (twin) return joinDuplicate(twin);
  }
  const write: Store["open"] = (opening) =>
    ports.store.open(request.undelivered ? { ...opening, undelivered: true } : opening);
  return openCall(call, capability, reuseFirst(seen, look), performsHere(capability.contract), ports, write);
}

/** Keys under which Paraph itself places steps, undos and retries: a caller who had one first would be taken for them. */
const reservedKey = /^(?:(?:undo|retry):call_|call_[^/]*\/)/;

/** [TRUST 34] Steps are opened elsewhere; what undoes or repeats a call says so, which no caller can. */
function rejectReservedKey({ key, undoes, repeats }: CallRequest): void {
  if (key === undefined || !reservedKey.test(key) || undoes !== undefined || repeats) return;
  throw new ParaphError(
    "key-reserved",
    "This idempotency key is reserved for steps, undos and retries of calls: choose a key of another form.",
  );
}

function joinDuplicate(call: Call): Admission {
  return { call, known: true, joinedDuplicate: true, wakes: [] };
}

/** What is read where it arrived is over before it could be asked for again: then there is none to join, and none to look for. */
function mayReadAtOnce(call: Call, capability: Capability, ports: Ports): boolean {
  return (
    canReadInPlace(call, capability, "again", ports) &&
    ports.freezes.inForce(call.principal, capability.contract) === undefined
  );
}

/** Allowed, and not by a grant: that is used up at an intent. */
function isReadAtOnce(considered: Evaluated | undefined): boolean {
  if (considered?.kind !== "ruled") return false;
  const { ruling } = considered.judged;
  return ruling.kind === "allow" && ruling.grant === undefined;
}

/** What was seen a moment ago need not be looked at once more, unless it has to be put anew. */
export function reuseFirst(seen: Evaluated | undefined, look: () => Promise<Evaluated>) {
  let first = seen;
  return async () => {
    const here = first ?? (await look());
    first = undefined;
    return here;
  };
}

/** Opens a drafted call where it stands once policy has ruled on it, or throws what stands in the way of any call at all. */
export async function openCall(
  call: Call,
  capability: Capability,
  look: () => Promise<Evaluated>,
  willing: boolean,
  ports: Ports,
  write: Store["open"] = (opening) => ports.store.open(opening),
): Promise<Admission> {
  const frozen = ports.freezes.inForce(call.principal, capability.contract);
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
    // A grant that is used up is not offered again; another set of policies has to be fetched.
    if (opened.stop.reason === "policy-changed") await ports.policy.refresh(call.tenant);
  }
  throw new ParaphError(
    "policy-unsettled",
    "Policy changed again and again while this was decided: nothing was done, try again.",
  );
}

/** Whether the process that admits the call goes on to run it, if it is willing to. */
function continuesInline({ state }: Transition): boolean {
  return state === "performing" || state === "ready" || state === "checking";
}

/** A place that is taken is waited for on the engine, as by any call that could not act at once. */
function canWaitForPlace(stop: GateRejection, here: boolean): boolean {
  return here && stop.reason === "limit-reached" && stop.kind === "concurrency";
}

/** Only where the caller has not named its call: two names are two calls. */
async function findDuplicate(
  request: CallRequest,
  requestDigest: string,
  ports: Ports,
): Promise<Call | undefined> {
  const session = request.session?.session;
  if (request.key !== undefined || session === undefined) return undefined;
  return ports.store.findDuplicate(request.principal, session, requestDigest);
}

/** What stands in the way of any call at all, told to the caller: nothing is on record of a call that was not taken. */
export function toRejectionError(
  stop: Extract<GateRejection, { reason: "frozen" | "limit-reached" }>,
): ParaphError {
  if (stop.reason === "frozen")
    return new ParaphError(
      "frozen",
      `This ${stop.freeze.kind} is frozen (\`${stop.freeze.id}\`): nothing of it is accepted until an administrator thaws it.`,
    );
  const then = stop.resetAt === undefined ? "once others are done" : "when its window begins anew";
  const what =
    stop.limit === afterDenials
      ? "People keep denying what you ask: you may ask them once a minute."
      : `The limit \`${stop.limit}\` is reached: try again ${then}.`;
  return new ParaphError("limit-reached", what, stop.resetAt, stop.limit);
}

/** [P1] Same key and digest: the same call. Another digest: refused. */
function returnKnownCall(call: Call, requestDigest: string): Admission {
  if (call.requestDigest === requestDigest) return { call, known: true, wakes: [] };
  throw keyReusedError(call);
}

function keyReusedError({ call }: Call): ParaphError {
  return new ParaphError(
    "key-reused",
    `The key was used before for another request (call \`${call}\`): choose a new key.`,
  );
}

/** [TRUST 34] A call is taken for a step only where it was opened as that step of that composite. */
export function isSamePlace({ parent }: Call, { parent: wanted }: Call): boolean {
  return parent?.call === wanted?.call && parent?.step === wanted?.step;
}

/** Written, known already, or stopped at the gate. */
type OpenAttempt =
  | { readonly kind: "admitted"; readonly admitted: Admission }
  | { readonly kind: "stopped"; readonly stop: GateRejection };

/** The composite that asked for it belongs to another segment now, or is over. */
export class ParentMovedOn extends Error {}

/** A drafted call as it is written, with its first move. */
export function toNewCall(call: Call, move: Transition): NewCall {
  // What is left are the call's facts: where it stands is the move's to say.
  const { epoch, state, nextAt, deadline, outcome, approval, attempts, events, payloads, ...facts } = call;
  const { resolution: _none, deaths: _unborn, stuck: _free, ...written } = facts;
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
      `It has been undone by call \`${result.by}\`, in part or as a whole, or that call is under way: see how it ended.`,
    );
  if (result.kind === "twin") return { kind: "admitted", admitted: joinDuplicate(result.call) };
  if (result.kind === "exists" && !isSamePlace(result.call, call)) throw keyReusedError(result.call);
  if (result.kind === "exists" && !isSameDraft(result.call, call))
    return { kind: "admitted", admitted: returnKnownCall(result.call, call.requestDigest) };
  ports.links.opened(call);
  const opened = applyTransition(call, move, 1);
  const wakes = opened.state === "closed" ? [] : [createWake(opened, dueAt(opened))];
  return { kind: "admitted", admitted: { call: opened, known: false, wakes } };
}

/**
 * Written by this very draft, whose answer got lost on the way. The id alone does not tell: that of a step follows from its
 * composite, and another process may have come to the same step.
 */
function isSameDraft(found: Call, call: Call): boolean {
  return found.call === call.call && found.payloads.input?.salt === call.payloads.input?.salt;
}

/** When the engine should look: at a question when its next step is due, everything else now. */
export function dueAt(call: Call): number | undefined {
  return call.state === "asking" || call.state === "delayed" ? call.nextAt : undefined;
}
