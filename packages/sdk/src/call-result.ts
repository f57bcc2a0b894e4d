import type { ApiCall } from "./api-views.ts";

/** How a call stands: how it ended, or what it waits for. A refusal is an answer, not an error. */
export type CallResult<O = unknown> =
  | Pending
  | Succeeded<O>
  | (EndedCall & { readonly kind: "failed"; readonly error?: unknown })
  | Refused
  | Denied
  | (EndedCall & { readonly kind: "expired" })
  | (EndedCall & { readonly kind: "cancelled" })
  | Superseded
  | Unknown;

interface CallFields {
  /** The call's id: everything else can be asked for by it, by any process with the same key, at any time. */
  readonly call: string;
  readonly capability: string;
  /** The input as it was, or would be, performed: a person may have edited it. */
  readonly input?: unknown;
  /** Paraph does not perform it: whoever asked takes it once it may happen, performs it and reports (`governed`). */
  readonly performer?: "agent";
  /** The same was being asked in this session already: this is that call. */
  readonly joined?: true;
  /** Where a person put this call in the place of another: what was asked for first, and why it was changed. */
  readonly instead?: { readonly of: string; readonly editedBy?: string; readonly reason?: string };
}

interface EndedCall extends CallFields {
  /** A short identifier that says why. */
  readonly code: string;
}

/** It goes on without whoever asked: approved means that it happens. Except where it awaits `agent`: it is yours now. */
export interface Pending extends CallFields {
  readonly kind: "pending";
  readonly awaiting: {
    readonly what: NonNullable<ApiCall["waiting"]>["for"];
    /** Whose yes is missing; empty where it waits for no person. */
    readonly from: readonly { readonly why: string; readonly people: number; readonly group?: string }[];
    /** When it goes on or lapses at the latest, where anybody can say. */
    readonly until?: string;
    /** Where a person decides. Opening it decides nothing. */
    readonly page?: string;
    /** What people compare with what they are shown. */
    readonly fingerprint?: string;
  };
}

export interface Succeeded<O = unknown> extends EndedCall {
  readonly kind: "succeeded";
  readonly output: O;
  /** The call that would take it back, if there is a way. */
  readonly undo?: unknown;
}

export interface Refused extends EndedCall {
  readonly kind: "refused";
  /** The policies that refused it, and what they say about it. */
  readonly refusal?: { readonly policies: readonly string[]; readonly sentence: string };
}

export interface Denied extends EndedCall {
  readonly kind: "denied";
  readonly reason?: string;
  /** A person returned it: what to do instead. */
  readonly instructions?: string;
}

export interface Superseded extends EndedCall {
  readonly kind: "superseded";
  /** The call that took its place, by whom and why. */
  readonly successor?: string;
  readonly editedBy?: string;
  readonly reason?: string;
}

/** Nobody saw whether it happened. */
export interface Unknown extends EndedCall {
  readonly kind: "unknown";
  /** What was found out since, by a person or by asking the outside system. */
  readonly finding?: "happened" | "not-happened";
}

export function toCallResult<O>(view: ApiCall, url: string): CallResult<O> {
  const { call, capability, outcome } = view;
  const named = {
    call,
    capability,
    ...(view.input !== undefined && { input: view.input }),
    ...(view.performer && { performer: view.performer }),
    ...(view.joined && { joined: true as const }),
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
      return { kind, ...ended, ...(view.error !== undefined && { error: view.error }) };
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
