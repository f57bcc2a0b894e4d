import { type Call, findUndoneCall, type Session } from "../../call.ts";
import type { Capability } from "../../capability/capability.ts";
import { listEditorGroups, listEditors, withEditors } from "../../editors.ts";
import type { NewEvent } from "../../event.ts";
import type { IntentRecord } from "../../intents/intent-record.ts";
import type { Json } from "../../json.ts";
import { ParaphError } from "../../paraph-error.ts";
import { answerGuard, buildCallerGuards, type Requirements } from "../../policy/requirements.ts";
import type { Ports } from "../../ports.ts";
import type { Principal } from "../../principal.ts";
import { withCallCommitment } from "../../receipts/call-commitment.ts";
import { commitment, digest } from "../../receipts/digest.ts";

/** A request for a call. */
export interface CallRequest {
  readonly principal: Principal;
  readonly capability: string;
  readonly input: Json;
  /** [P1] The caller's idempotency key. A repeated request with the same key is the same call. */
  readonly key?: string;
  readonly session?: Session;
  /** Whether the caller may lose the answer and then repeat the request without a key. See `NewCall.undelivered`. */
  readonly undelivered?: boolean;
  /**
   * The agent's statement of why the call is needed. Approvers see it as the agent's words, and Paraph never relies on
   * it.
   */
  readonly purpose?: string;
  /**
   * The agent's own summary of its state. The session gives it back, approvers see it as the agent's words, and Paraph
   * never relies on it.
   */
  readonly compressedState?: string;
  /** The words that Paraph understood as this plan. The caller of core has verified their seal. */
  readonly words?: IntentRecord;
  readonly trace?: string;
  readonly requirements?: Requirements;
  /** The call that this one undoes. Paraph takes it from the record, never from a caller. */
  readonly undoes?: string;
  /**
   * The call that this one repeats. The editors and requirements of that call also apply to this one. A caller cannot
   * set this field.
   */
  readonly repeats?: Call;
}

/**
 * [P1] Returns the digest by which Paraph recognises a repeated request. It includes the person for whom the agent
 * acts, so that equal requests for two people are two requests.
 */
export function digestRequest({
  principal: { onBehalfOf },
  capability,
  input,
}: Pick<CallRequest, "principal" | "capability" | "input">): string {
  return digest({ capability, input, ...(onBehalfOf !== undefined && { onBehalfOf }) });
}

/** Returns a capability by name. Throws if the tenant has no such capability, or if it is unavailable. */
export function requireCapability(tenant: string, name: string, ports: Ports): Capability {
  const capability = ports.catalog.find(tenant, name);
  if (!capability) {
    throw new ParaphError(
      "capability-unknown",
      `There is no capability \`${name}\`. \`paraph capabilities\` lists the available ones.`,
    );
  }
  if (!capability.unavailable) return capability;
  throw new ParaphError(
    "capability-unavailable",
    `\`${name}\` is currently unavailable. ${capability.unavailable.message}`,
  );
}

/** Drafts a call as the store will open it, with its `accepted` event. */
export function draftCall(
  request: CallRequest,
  capability: Capability,
  requestDigest: string,
  ports: Ports,
): Call {
  const draft = draftCallForRuling(request, capability, requestDigest, ports);
  const { salt, value } = draft.payloads.input!;
  const input = commitment(salt, value);
  const events = draft.events.map((event) =>
    event.kind === "accepted" ? { ...event, data: { ...event.data, input } } : event,
  );
  return withCallCommitment({ ...draft, events }, ports.sealer);
}

/** Drafts a call on which policy only rules. Its acceptance has no commitments, so the store cannot open it. */
export function draftCallForRuling(
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
  const undoes = request.undoes ?? (request.repeats && findUndoneCall(request.repeats));
  const input = { salt: ports.random.salt(), value: parsed.value };
  const toPayload = (value: Json | undefined) =>
    value === undefined ? undefined : { salt: ports.random.salt(), value };
  const purpose = toPayload(request.purpose);
  const compressedState = toPayload(request.compressedState);
  const words = toPayload(request.words as unknown as Json | undefined);
  const id = ports.random.id("call");
  const { name, version } = capability.contract;
  const follows = ports.links.next(request.principal.tenant);
  const accepted: NewEvent<"accepted"> = {
    kind: "accepted",
    at,
    data: {
      capability: name,
      version,
      principal: request.principal.id,
      ...(request.principal.onBehalfOf !== undefined && { onBehalfOf: request.principal.onBehalfOf }),
      ...(undoes !== undefined && { undoes }),
      ...(follows.length > 0 && { follows }),
      // `draftCall` adds the commitments and the seal when the draft is complete.
      input: "",
      seal: "",
    },
  };
  const call: Call = {
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
    lockKeys: digestLockKeys(capability, parsed.value, request.principal.tenant),
    requirements: request.repeats?.requirements ?? [
      ...buildCallerGuards(request.requirements),
      ...(capability.parseAnswer ? [answerGuard] : []),
    ],
    createdAt: at,
    nextAt: undefined,
    deadline: undefined,
    outcome: undefined,
    approval: undefined,
    attempts: [],
    events: [{ seq: 1, ...accepted }],
    payloads: {
      input,
      ...(purpose && { purpose }),
      ...(compressedState && { compressedState }),
      ...(words && { words }),
    },
  };
  const { repeats } = request;
  return repeats ? withEditors(call, listEditors(repeats), listEditorGroups(repeats)) : call;
}

/**
 * [P11] Returns the digests of the call's lock keys. Rejects a call whose locks cannot be computed, because such a call
 * could run at the same time as a conflicting call. [P10] The rows keep only digests of the keys, because keys come
 * from the input and the rows outlive an erased input.
 */
function digestLockKeys(capability: Capability, input: Json, tenant: string): readonly string[] {
  try {
    const keys = capability.locks(input);
    if (keys.every((key) => typeof key === "string"))
      return keys.map((lock) => digest({ tenant, lock })).sort();
  } catch {
    // The error below reports it.
  }
  throw new ParaphError(
    "input-invalid",
    `Paraph cannot compute the locks of \`${capability.contract.name}\` from this input. Check the capability's \`locks\`.`,
  );
}
