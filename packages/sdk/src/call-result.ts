import type { ApiCall } from "./api-views.ts";

/** The current state of a call: its outcome, or the reason why it waits. A refusal is a result, not an error. */
export type CallResult<O = unknown> =
  | Pending
  | Succeeded<O>
  | Failed
  | Refused
  | Denied
  | (EndedCall & { readonly kind: "expired" })
  | (EndedCall & { readonly kind: "cancelled" })
  | Superseded
  | Unknown;

interface CallFields {
  /** The id of the call. Any process with the same API key can use it at any time. */
  readonly call: string;
  readonly capability: string;
  /** The input that was or will be performed. An approver may have edited it. */
  readonly input?: unknown;
  /**
   * Set if Paraph does not perform the call. Instead, the requester claims, performs and reports it, for example with
   * `governCapability`.
   */
  readonly performer?: "agent";
  /** Set if an identical call was already open in this session. The result is then the result of that call. */
  readonly joinedDuplicate?: true;
  /**
   * The replaced call, the editor and the reason for the edit. Set if an edit replaced the requested call with this
   * one.
   */
  readonly instead?: { readonly of: string; readonly editedBy?: string; readonly reason?: string };
}

interface EndedCall extends CallFields {
  /** A short identifier of the reason for the outcome. */
  readonly code: string;
}

/**
 * A call that is not closed. It continues without the requester, and runs once it is approved. If it awaits `agent`,
 * the requester must perform it.
 */
export interface Pending extends CallFields {
  readonly kind: "pending";
  readonly awaiting: {
    readonly what: NonNullable<ApiCall["waiting"]>["for"];
    /** The missing approvals. The list is empty if the call does not wait for a person. */
    readonly from: readonly { readonly why: string; readonly people: number; readonly group?: string }[];
    /** The latest time at which the call continues or expires, if it is known. */
    readonly until?: string;
    /** The page where an approver decides. Opening it decides nothing. */
    readonly page?: string;
    /** The digits that an approver compares with the ones on the approval page. */
    readonly fingerprint?: string;
  };
}

/** A call that succeeded. */
export interface Succeeded<O = unknown> extends EndedCall {
  readonly kind: "succeeded";
  readonly output: O;
  /** The call that would undo this one, if there is one. */
  readonly undo?: unknown;
}

/** A call that failed. */
export interface Failed extends EndedCall {
  readonly kind: "failed";
  readonly error?: unknown;
  /** Whether the same request may succeed later. It is false if the cause is permanent, and for plans. */
  readonly retryable: boolean;
}

/** A call that policy refused. */
export interface Refused extends EndedCall {
  readonly kind: "refused";
  /** The policies that refused the call, with their explanation. */
  readonly refusal?: { readonly policies: readonly string[]; readonly sentence: string };
}

/** A call that an approver denied or returned with instructions. */
export interface Denied extends EndedCall {
  readonly kind: "denied";
  readonly reason?: string;
  /** The instructions of an approver who returned the call. */
  readonly instructions?: string;
}

/** A call that an approver replaced by an edited one. */
export interface Superseded extends EndedCall {
  readonly kind: "superseded";
  /** The call that replaced this one. */
  readonly successor?: string;
  readonly editedBy?: string;
  readonly reason?: string;
}

/** A call that may or may not have had its effect. */
export interface Unknown extends EndedCall {
  readonly kind: "unknown";
  /** The finding that a person or a probe recorded after the call closed. */
  readonly finding?: "happened" | "not-happened";
}

/** Converts the API's view of a call to a `CallResult`. `url` is the base URL of the approval page. */
export function toCallResult<O>(view: ApiCall, url: string): CallResult<O> {
  const { call, capability, outcome } = view;
  const named = {
    call,
    capability,
    ...(view.input !== undefined && { input: view.input }),
    ...(view.performer && { performer: view.performer }),
    ...(view.joinedDuplicate && { joinedDuplicate: true as const }),
  };
  if (!outcome) return { kind: "pending", ...named, awaiting: toAwaiting(view, url) };
  const { kind, code } = outcome;
  const ended = { ...named, code };
  const why = typeof view.reason === "string" ? { reason: view.reason } : {};
  switch (kind) {
    case "succeeded":
      return {
        kind,
        ...ended,
        output: view.output as O,
        ...(view.undo !== undefined && { undo: view.undo }),
      };
    case "failed":
      return {
        ...{ kind, ...ended, ...(view.error !== undefined && { error: view.error }) },
        retryable: view.retryable === true,
      };
    case "refused":
      return { kind, ...ended, ...(view.refusal && { refusal: view.refusal }) };
    case "denied":
      return { kind, ...ended, ...why, ...pickDefined(view, "instructions") };
    case "superseded":
      return { kind, ...ended, ...why, ...pickDefined(view, "successor"), ...pickDefined(view, "editedBy") };
    case "unknown":
      return { kind, ...ended, ...(view.resolution && { finding: view.resolution.finding }) };
    default:
      return { kind, ...ended };
  }
}

function toAwaiting({ waiting }: ApiCall, url: string): Pending["awaiting"] {
  const { until, approval } = waiting ?? {};
  const from = (approval?.guards ?? []).map(({ sentence, quorum, group }) => ({
    why: sentence,
    people: quorum,
    ...(group !== undefined && { group }),
  }));
  return {
    what: waiting?.for ?? "performing",
    from,
    ...(until !== undefined && { until }),
    ...(approval && {
      page: new URL(`/approvals/${approval.id}`, url).href,
      fingerprint: approval.fingerprint,
    }),
  };
}

function pickDefined<K extends keyof ApiCall>(
  view: ApiCall,
  name: K,
): { [name in K]?: NonNullable<ApiCall[K]> } {
  return (view[name] === undefined ? {} : { [name]: view[name] }) as {
    [name in K]?: NonNullable<ApiCall[K]>;
  };
}
