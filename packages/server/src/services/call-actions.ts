import {
  type Admission,
  type Call,
  type CallRequest,
  claimCall,
  edit,
  type OutcomeKind,
  ParaphError,
  type Ports,
  type Preview,
  probeAgain,
  reassign,
  reportResult,
  resolveUnknown,
  resumeStuck,
  type Undo,
  type Wake,
  withdrawCall,
} from "@paraph/core";
import type { CallActions, CallMessage, DelegationRecord, NewDelegation } from "./types/call-action-types.ts";
import type { ParaphService } from "./types/service-types.ts";

/** The stores of messages, delegations and earlier previews, and the pipeline's ports. */
export interface CallActionDeps {
  readonly ports: Ports;
  readonly messageStore: {
    /**
     * Appends a message. While the call waits for approvers, the same transaction records the message among its events.
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
  /** Notifies the waiters of the call and sends its wakes. */
  readonly announceChange: (call: Call, wakes: readonly Wake[]) => Promise<void>;
  readonly requestCall: ParaphService["requestCall"];
}

/** Creates the actions over core's functions and the tables beside calls. */
export function createCallActions({
  ports,
  messageStore,
  delegations,
  findEarlierPreview,
  announceChange,
  requestCall,
}: CallActionDeps): CallActions {
  return {
    findEarlierPreview,
    async edit(given) {
      const done = await edit(given, ports);
      await announceChange(done.superseded, []);
      await announceChange(done.call, done.wakes);
      return done;
    },
    async reassign(given) {
      const { call, wakes } = await reassign(given, ports);
      await announceChange(call, wakes);
      return call;
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
    async undo(call, asked) {
      await requireParentsEnded(call, ports);
      return requestUndo(call, asked, requestCall);
    },
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

/** [P7] Rejects a retry of a call that may have had its effect. A person must first find that it did not happen. */
function toRetryRequest(call: Call): CallRequest {
  if (call.outcome?.kind !== "unknown" || call.resolution?.finding !== "not-happened")
    throw new ParaphError(
      "not-unknown",
      "Only what certainly did not happen is tried again: say first that it did not (`paraph resolve CALL not-happened --reason …`).",
    );
  const { input, purpose } = call.payloads;
  if (!input) throw new ParaphError("input-invalid", "Its input was erased: it cannot be asked for again.");
  return {
    principal: call.principal,
    capability: call.capability,
    input: input.value,
    key: `retry:${call.call}`,
    session: call.session,
    repeats: call,
    ...(typeof purpose?.value === "string" && { purpose: purpose.value }),
  };
}

/** Rejects the undo of a step while its plan runs, because the plan may undo the step itself. */
async function requireParentsEnded(call: Call, ports: Ports): Promise<void> {
  for (let here: Call | undefined = call; here?.parent; ) {
    here = await ports.store.load({ tenant: here.tenant, call: here.parent.call });
    if (here && here.state !== "closed")
      throw new ParaphError(
        "no-undo",
        `It is a step of \`${here.call}\`, which is under way: undo it once that has ended, or withdraw the whole.`,
      );
  }
}

/**
 * [P13] Requests one undo at a time, and another only if the last had no effect. The store enforces this for all
 * principals.
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
  throw new ParaphError("no-undo", explainMissingUndo(call));
}

function explainMissingUndo({ call, state, outcome }: Call): string {
  if (state !== "closed" || !outcome)
    return `It is not over: take it back with \`paraph withdraw ${call}\`, or undo it afterwards.`;
  if (outcome.kind === "unknown")
    return "Nobody knows whether it happened: find that out first (`paraph resolve CALL …`).";
  if (outcome.code === "compensated") return "What it did has been undone already.";
  if (outcome.kind !== "succeeded" && outcome.kind !== "failed")
    return `It ended as ${outcome.kind}: it had no effect, and nothing is there to undo.`;
  return "Its capability offers no way back from what it did.";
}
