import type { Call, Session } from "../../call.ts";
import type { Capability } from "../../capability/capability.ts";
import { lastEvent, type NewEvent } from "../../event.ts";
import type { Json } from "../../json.ts";
import { ParaphError } from "../../paraph-error.ts";
import { answerGuard, buildCallerGuards, type Requirements } from "../../policy/requirements.ts";
import type { Ports } from "../../ports.ts";
import type { Principal } from "../../principal.ts";
import { withCallCommitment } from "../../receipts/call-commitment.ts";
import { commitment, digest } from "../../receipts/digest.ts";
import { listEditorGroups, listEditors, withEditors } from "../approval/editors.ts";

export interface CallRequest {
  readonly principal: Principal;
  readonly capability: string;
  readonly input: Json;
  /** [P1] The caller's own name for this call: asked twice, it happens once. */
  readonly key?: string;
  readonly session?: Session;
  /** Asked by one that may lose its answer and ask again, without a key: see `Opening`. */
  readonly undelivered?: boolean;
  /** What the agent says it is for: shown to approvers as its words, never believed. */
  readonly purpose?: string;
  readonly trace?: string;
  readonly requirements?: Requirements;
  /** The call whose way back this is: on record, never a caller's word. */
  readonly undoes?: string;
  /** The call that this one repeats, whose editors and requirements hold for it as well. Never a caller's word. */
  readonly repeats?: Call;
}

/**
 * [P1] The digest by which a repeated request is recognised. An agent that acts for two people makes two requests, however alike
 * they are.
 */
export function digestRequest({
  principal: { onBehalfOf },
  capability,
  input,
}: Pick<CallRequest, "principal" | "capability" | "input">): string {
  return digest({ capability, input, ...(onBehalfOf !== undefined && { onBehalfOf }) });
}

export function requireCapability(tenant: string, name: string, ports: Ports): Capability {
  const capability = ports.catalog.find(tenant, name);
  if (!capability) {
    throw new ParaphError(
      "capability-unknown",
      `There is no capability \`${name}\` here: \`paraph capabilities\` lists those there are.`,
    );
  }
  if (!capability.unavailable) return capability;
  throw new ParaphError(
    "capability-unavailable",
    `\`${name}\` cannot be used for now. ${capability.unavailable.message}`,
  );
}

/** The call as it will be opened, with its acceptance as the first event. */
export function draftCall(
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
  const purpose =
    request.purpose === undefined ? undefined : { salt: ports.random.salt(), value: request.purpose };
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
      input: commitment(input.salt, input.value),
      // A draft is sealed last: see withCallCommitment.
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
    payloads: { input, ...(purpose && { purpose }) },
  };
  const { repeats } = request;
  return withCallCommitment(
    repeats ? withEditors(call, listEditors(repeats), listEditorGroups(repeats)) : call,
    ports.sealer,
  );
}

/** The call that this one undoes, if it is an undo. */
export function findUndoneCall({ events }: Pick<Call, "events">): string | undefined {
  return lastEvent(events, "accepted")?.data.undoes;
}

/**
 * [P11] A call whose locks cannot be told is not admitted: it could run beside one it must not. [P10] Kept as digests: keys
 * are made of the input, and rows outlive what was erased of it.
 */
function digestLockKeys(capability: Capability, input: Json, tenant: string): readonly string[] {
  try {
    const keys = capability.locks(input);
    if (keys.every((key) => typeof key === "string"))
      return keys.map((lock) => digest({ tenant, lock })).sort();
  } catch {
    // Told below.
  }
  throw new ParaphError(
    "input-invalid",
    `The locks that \`${capability.contract.name}\` needs cannot be told from this input: see its \`locks\`.`,
  );
}
