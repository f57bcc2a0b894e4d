import type { Call } from "../call.ts";
import type { Capability } from "../capability.ts";
import type { Contract } from "../contract.ts";
import { ParaphError } from "../paraph-error.ts";
import type { Move, Opening, Ports, Stop, Store, Wake } from "../ports.ts";
import { type CallRequest, digestRequest, draft, known } from "./draft.ts";
import { type Considered, canReadInPlace, consider, firstMove } from "./first-move.ts";
import { after, wake } from "./move.ts";
import { afterDenials } from "./slow.ts";

export interface Admitted {
  readonly call: Call;
  /** The key was known: this is the call it named. */
  readonly known: boolean;
  /** [TRUST 19] The same was being asked in this session already, or was never answered: this is that call, and nobody is asked twice. */
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
  refuseReserved(request);
  const capability = known(request.principal.tenant, request.capability, ports);
  const requestDigest = digestRequest(request);
  const earlier =
    request.key === undefined ? undefined : await ports.store.findByKey(request.principal, request.key);
  if (earlier) return sameCall(earlier, requestDigest);
  const call = draft(request, capability, requestDigest, ports);
  const look = () => consider(call, capability, ports.settings.previewPatienceMs, ports);
  const seen = mayReadAtOnce(call, capability, ports) ? await look() : undefined;
  if (!isReadAtOnce(seen)) {
    const twin = await twinOf(request, requestDigest, ports);
    if (twin) return joining(twin);
  }
  const write: Store["open"] = (opening) =>
    ports.store.open(request.owed ? { ...opening, owed: true } : opening);
  return enter(call, capability, beginningWith(seen, look), performsHere(capability.contract), ports, write);
}

/** Keys under which Paraph itself places steps, undos and retries: a caller who had one first would be taken for them. */
const reservedKey = /^(?:(?:undo|retry):call_|call_[^/]*\/)/;

/** [TRUST 34] Steps are opened elsewhere; what undoes or repeats a call says so, which no caller can. */
function refuseReserved({ key, undoes, repeats }: CallRequest): void {
  if (key === undefined || !reservedKey.test(key) || undoes !== undefined || repeats) return;
  throw new ParaphError(
    "key-reserved",
    "This idempotency key is reserved for steps, undos and retries of calls: choose a key of another form.",
  );
}

function joining(call: Call): Admitted {
  return { call, known: true, joined: true, wakes: [] };
}

/** What is read where it arrived is over before it could be asked for again: then there is none to join, and none to look for. */
function mayReadAtOnce(call: Call, capability: Capability, ports: Ports): boolean {
  return (
    canReadInPlace(call, capability, "again", ports) &&
    ports.freezes.inForce(call.principal, capability.contract) === undefined
  );
}

/** Allowed, and not by a grant: that is used up at an intent. */
function isReadAtOnce(considered: Considered | undefined): boolean {
  if (considered?.kind !== "ruled") return false;
  const { ruling } = considered.judged;
  return ruling.kind === "allow" && ruling.grant === undefined;
}

/** What was seen a moment ago need not be looked at once more, unless it has to be put anew. */
export function beginningWith(seen: Considered | undefined, look: () => Promise<Considered>) {
  let first = seen;
  return async () => {
    const here = first ?? (await look());
    first = undefined;
    return here;
  };
}

/** Opens a drafted call where it stands once policy has ruled on it, or throws what stands in the way of any call at all. */
export async function enter(
  call: Call,
  capability: Capability,
  look: () => Promise<Considered>,
  willing: boolean,
  ports: Ports,
  write: Store["open"] = (opening) => ports.store.open(opening),
): Promise<Admitted> {
  const frozen = ports.freezes.inForce(call.principal, capability.contract);
  if (frozen) throw refusal({ reason: "frozen", freeze: frozen });
  let here = willing;
  for (let turn = 1; turn <= mostTurns; turn += 1) {
    const move = await firstMove(call, capability, await look(), here, ports);
    const run = willing && goesOnHere(move) ? ({ ...move, segment: "runs" } as const) : move;
    const opened = await open(call, run, write, ports);
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

/** Whether the process that admits the call goes on to run it, if it is willing to. */
function goesOnHere({ state }: Move): boolean {
  return state === "performing" || state === "ready" || state === "checking";
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
export function refusal(stop: Extract<Stop, { reason: "frozen" | "limit-reached" }>): ParaphError {
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
function sameCall(call: Call, requestDigest: string): Admitted {
  if (call.requestDigest === requestDigest) return { call, known: true, wakes: [] };
  throw keyReused(call);
}

function keyReused({ call }: Call): ParaphError {
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
type OpenedCall =
  | { readonly kind: "admitted"; readonly admitted: Admitted }
  | { readonly kind: "stopped"; readonly stop: Stop };

/** The composite that asked for it belongs to another segment now, or is over. */
export class ParentMovedOn extends Error {}

/** A drafted call as it is written, with its first move. */
export function openingOf(call: Call, move: Move): Opening {
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

async function open(
  call: Call,
  move: Move,
  write: Store["open"],
  ports: Pick<Ports, "links">,
): Promise<OpenedCall> {
  const result = await write(openingOf(call, move));
  if (result.kind === "stopped") return result;
  if (result.kind === "lost") throw new ParentMovedOn();
  if (result.kind === "undone")
    throw new ParaphError(
      "already-undone",
      `It has been undone by call \`${result.by}\`, in part or as a whole, or that call is under way: see how it ended.`,
    );
  if (result.kind === "twin") return { kind: "admitted", admitted: joining(result.call) };
  if (result.kind === "exists" && !isSamePlace(result.call, call)) throw keyReused(result.call);
  if (result.kind === "exists" && !isSameDraft(result.call, call))
    return { kind: "admitted", admitted: sameCall(result.call, call.requestDigest) };
  ports.links.opened(call);
  const opened = after(call, move, 1);
  const wakes = opened.state === "closed" ? [] : [wake(opened, dueAt(opened))];
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
