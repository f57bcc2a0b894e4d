import {
  type Admission,
  acknowledge,
  type Call,
  type CallRequest,
  type ClaimResult,
  claimCall,
  type Edit,
  edit,
  type Finding,
  findErasure,
  findRetryRefusal,
  type OutcomeKind,
  ParaphError,
  type Payload,
  type Ports,
  type Preview,
  type Principal,
  probeAgain,
  type ResolutionResult,
  reassign,
  reportResult,
  resolveUnknown,
  resumeStuck,
  type SuccessorResult,
  type Undo,
  type Wake,
  withdrawCall,
} from "@paraph/core";
import type { ParaphService } from "./paraph-service.ts";

/** The actions on a call besides voting. Each action throws core's ParaphError if the principal may not take it. */
export interface CallActions {
  edit(edit: Edit): Promise<SuccessorResult>;
  reassign(given: Omit<Parameters<typeof reassign>[0], "isPerson">): Promise<Call>;
  /** Records that an approver looks at the request. Returns until when Paraph neither reminds nor escalates. */
  acknowledge(
    given: Parameters<typeof acknowledge>[0],
  ): Promise<{ readonly call: Call; readonly until: number }>;
  withdraw(given: { readonly call: string; readonly by: Principal; readonly reason?: string }): Promise<Call>;
  resolve(given: {
    readonly call: string;
    readonly by: Principal;
    readonly finding: Finding;
    readonly reason: string;
  }): Promise<Call>;
  probe(given: {
    readonly call: string;
    readonly by: Principal;
  }): Promise<ResolutionResult & { readonly found: Finding | "unsure" }>;
  claim(given: Parameters<typeof claimCall>[0]): Promise<ClaimResult>;
  report(given: Parameters<typeof reportResult>[0]): Promise<Call>;
  /**
   * Retries a call. A stuck call continues. Any other call is requested again as a new call, but only if the original
   * call certainly had no effect.
   */
  retry(call: Call, by: Principal): Promise<Admission>;
  /**
   * Requests the call's undo as a call of the given principal. A repeated request returns the existing undo. If that
   * undo had no effect, the repeated request creates another one. Throws `already-undone` if another principal's undo
   * had an effect or is running.
   */
  undo(call: Call, asked: Pick<CallRequest, "principal" | "purpose" | "requirements">): Promise<Admission>;
  /** Returns the id of the call that undoes this one, unless that call ended without an effect. */
  findUndo(call: Call): Promise<string | undefined>;
  listMessages(call: Call, page: CallMessageFilter): Promise<readonly CallMessage[]>;
  /** Posts a message. A repeated `id` posts nothing new. Returns undefined if the id belongs to another message. */
  postMessage(call: Call, message: NewCallMessage): Promise<CallMessage | undefined>;
  /** Returns the current and future delegations of the reader's tenant. */
  listDelegations(reader: Principal): Promise<readonly DelegationRecord[]>;
  /** Creates a delegation. Returns undefined if `person` or `delegate` is not a person of the tenant. */
  createDelegation(delegation: NewDelegation, by: Principal): Promise<DelegationRecord | undefined>;
  /** Ends a delegation. Returns false if the tenant has no delegation with this id. */
  endDelegation(id: string, by: Principal): Promise<boolean>;
  /** Returns the preview of the round before the call's newest round, or undefined if there is no such preview. */
  findEarlierPreview(call: Call): Promise<Preview | undefined>;
  /** Returns every reason that people gave with their decisions about the call, oldest first, until they are erased. */
  listReasons(call: Call): Promise<readonly Payload[]>;
}

/** The kinds of messages that people and agents can post about a call. */
export const messageKinds = ["comment", "question", "answer"] as const;

/** One of the message kinds. */
export type CallMessageKind = (typeof messageKinds)[number];

/**
 * Selects a page of a call's messages. The page has at most `limit` messages and starts after the sequence number
 * `after`.
 */
export interface CallMessageFilter {
  readonly after?: number;
  readonly limit: number;
}

/** A message about a call, as stored. */
export interface CallMessage {
  readonly id: string;
  readonly seq: number;
  readonly by: string;
  readonly kind: CallMessageKind;
  readonly at: number;
  /** Missing after the text was erased. */
  readonly text?: string;
}

/** A message to post. Its `id` is the author's idempotency key. */
export interface NewCallMessage {
  readonly id?: string;
  readonly by: Principal;
  readonly kind: CallMessageKind;
  readonly text: string;
}

/** A delegation to create: `delegate` may vote in place of `person` between `from` and `until`. */
export interface NewDelegation {
  readonly person: string;
  readonly delegate: string;
  readonly from: number;
  readonly until: number;
}

/** A delegation as stored, with the principal who created it. */
export interface DelegationRecord extends NewDelegation {
  readonly id: string;
  readonly by: string;
  readonly at: number;
}

/** The stores of messages, delegations, earlier previews and reasons, and the pipeline's ports. */
export interface CallActionDeps {
  readonly ports: Ports;
  readonly messageStore: {
    /**
     * Appends a message. While the call waits for approvers, the same transaction also records the message as an event
     * of the call.
     */
    append(
      tenant: string,
      message: {
        readonly id: string;
        readonly call: string;
        readonly by: string;
        readonly kind: CallMessage["kind"];
        readonly text: string;
        readonly salt: string;
      },
    ): Promise<{ readonly changed: string; readonly message?: CallMessage }>;
    list(
      tenant: string,
      call: string,
      page: { readonly after?: number; readonly limit: number },
    ): Promise<readonly CallMessage[]>;
  };
  readonly delegations: {
    create(tenant: string, delegation: NewDelegation & { readonly id: string }, by: string): Promise<string>;
    revoke(tenant: string, id: string, by: string): Promise<string>;
    list(tenant: string): Promise<readonly DelegationRecord[]>;
  };
  readonly findEarlierPreview: (call: Call) => Promise<Preview | undefined>;
  readonly listReasons: CallActions["listReasons"];
  readonly findUndo: CallActions["findUndo"];
  readonly findPrincipal: (tenant: string, id: string) => Promise<Principal | undefined>;
  /** Notifies the waiters of the call and sends its wakes. */
  readonly announceChange: (call: Call, wakes: readonly Wake[]) => Promise<void>;
  readonly requestCall: ParaphService["requestCall"];
}

/** Creates the actions from core's functions and from the stores of messages, delegations, earlier previews and reasons. */
export function createCallActions({
  ports,
  messageStore,
  delegations,
  findEarlierPreview,
  listReasons,
  findUndo,
  findPrincipal,
  announceChange,
  requestCall,
}: CallActionDeps): CallActions {
  return {
    findEarlierPreview,
    listReasons,
    findUndo,
    async edit(given) {
      const done = await edit(given, ports);
      await announceChange(done.superseded, []);
      await announceChange(done.call, done.wakes);
      return done;
    },
    async reassign(given) {
      const to = await findPrincipal(given.by.tenant, given.to);
      const isPerson = to?.kind === "person" && to.barred === undefined;
      const { call, wakes } = await reassign({ ...given, isPerson }, ports);
      await announceChange(call, wakes);
      return call;
    },
    async acknowledge(given) {
      const { wakes, ...done } = await acknowledge(given, ports);
      await announceChange(done.call, wakes);
      return done;
    },
    async withdraw(given) {
      const { call, wakes } = await withdrawCall(given, ports);
      await announceChange(call, wakes);
      return call;
    },
    async resolve(given) {
      const { call, wakes } = await resolveUnknown(given, ports);
      await announceChange(call, wakes);
      return call;
    },
    async probe(given) {
      const found = await probeAgain(given, ports);
      await announceChange(found.call, found.wakes);
      return found;
    },
    async claim(given) {
      const claim = await claimCall(given, ports);
      await announceChange(claim.call, claim.wakes);
      return claim;
    },
    async report(given) {
      const { call, wakes } = await reportResult(given, ports);
      await announceChange(call, wakes);
      return call;
    },
    async retry(call, by) {
      if (call.stuck === undefined) return requestCall(toRetryRequest(call));
      const resumed = await resumeStuck({ call: call.call, by }, ports);
      await announceChange(resumed.call, resumed.wakes);
      return { ...resumed, known: true };
    },
    undo: (call, asked) => undoCall(call, asked, { ports, requestCall }),
    listMessages: ({ tenant, call }, page) => messageStore.list(tenant, call, page),
    async postMessage(call, { id = ports.random.id("message"), by, kind, text }) {
      const { tenant, call: about } = call;
      const salt = ports.random.salt();
      const given = { id, call: about, by: by.id, kind, text, salt };
      const { changed, message } = await messageStore.append(tenant, given);
      const now = changed === "done" && (await ports.store.load({ tenant, call: about }));
      if (now) await announceChange(now, []);
      return message;
    },
    listDelegations: ({ tenant }) => delegations.list(tenant),
    async createDelegation(given, { tenant, id: by }) {
      const id = ports.random.id("delegation");
      const changed = await delegations.create(tenant, { ...given, id }, by);
      return changed === "unknown" ? undefined : { ...given, id, by, at: ports.clock.now() };
    },
    endDelegation: async (id, by) => (await delegations.revoke(by.tenant, id, by.id)) !== "unknown",
  };
}

/**
 * [P7] Returns the request that retries a call. Throws unless a resolution found that the call did not happen. Without
 * this finding, the call may have had its effect.
 */
function toRetryRequest(call: Call): CallRequest {
  if (call.outcome?.kind !== "unknown" || call.resolution?.finding !== "not-happened")
    throw new ParaphError(
      "not-unknown",
      "Only a call that certainly did not happen can be retried. Resolve it first (`paraph resolve CALL not-happened --reason …`).",
    );
  const { input, purpose } = call.payloads;
  const refusal = findRetryRefusal(call);
  if (refusal !== undefined) throw new ParaphError(refusal, retryRefusals[refusal]);
  return {
    principal: call.principal,
    capability: call.capability,
    input: input!.value,
    key: `retry:${call.call}`,
    session: call.session,
    repeats: call,
    ...(typeof purpose?.value === "string" && { purpose: purpose.value }),
  };
}

const retryRefusals = {
  "not-retryable":
    "A plan can't be retried, because its successful steps would run again. Retry the steps that did not happen, or request a plan that has only these.",
  "call-erased":
    "The call can't be retried, because its input was erased. Request a new call with the full input.",
} as const;

/** Requests the undo of a call. `CallActions.undo` describes it. */
export async function undoCall(
  call: Call,
  asked: Parameters<CallActions["undo"]>[1],
  { ports, requestCall }: Pick<CallActionDeps, "ports" | "requestCall">,
): Promise<Admission> {
  await requireParentsEnded(call, ports);
  return requestUndo(call, asked, requestCall);
}

/** Rejects the undo of a step while its plan runs, because the plan may undo the step itself. */
async function requireParentsEnded(call: Call, ports: Ports): Promise<void> {
  for (let here: Call | undefined = call; here?.parent; ) {
    here = await ports.store.load({ tenant: here.tenant, call: here.parent.call });
    if (here && here.state !== "closed")
      throw new ParaphError(
        "no-undo",
        `The call is a step of \`${here.call}\`, which is still open. Undo the step after that call has ended, or withdraw that call.`,
      );
  }
}

/**
 * [P13] Requests an undo of the call. If there was an earlier undo, requests another one only if the earlier undo had
 * no effect. The store enforces this rule for all principals.
 */
async function requestUndo(
  call: Call,
  asked: Pick<CallRequest, "principal" | "purpose" | "requirements">,
  place: ParaphService["requestCall"],
): Promise<Admission> {
  const { capability, input } = requireUndo(call);
  for (let number = 1; ; number += 1) {
    const key = `undo:${call.call}${number === 1 ? "" : `:${number}`}`;
    const placed = await place({
      ...asked,
      capability,
      input,
      key,
      session: call.session,
      undoes: call.call,
    });
    const { known, call: there } = placed;
    if (!known || !there.outcome || !effectlessOutcomes.includes(there.outcome.kind)) return placed;
  }
}

const effectlessOutcomes: readonly OutcomeKind[] = ["failed", "refused", "denied", "expired", "cancelled"];

function requireUndo(call: Call): Undo {
  const undo = call.payloads.undo?.value as unknown as Undo | undefined;
  if (undo) return undo;
  if (findErasure(call)?.data.payloads.includes("undo"))
    throw new ParaphError(
      "call-erased",
      "The call can't be undone, because its undo was erased with its payloads. Reverse the effect with a new call.",
    );
  throw new ParaphError("no-undo", explainMissingUndo(call));
}

function explainMissingUndo({ call, state, outcome }: Call): string {
  if (state !== "closed" || !outcome)
    return `The call is still open. Withdraw it with \`paraph withdraw ${call}\`, or undo it later.`;
  if (outcome.kind === "unknown")
    return "The outcome of the call is unknown. Resolve it first (`paraph resolve CALL …`).";
  if (outcome.code === "compensated") return "The call is already undone.";
  if (outcome.kind !== "succeeded" && outcome.kind !== "failed")
    return `The call ended as ${outcome.kind} and had no effect, so there is nothing to undo.`;
  return "The capability offers no undo for this call.";
}
