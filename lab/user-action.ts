import type { Finding } from "@paraph/core";

/** An action of a person or a caller on a call, besides requesting it and deciding on it. */
export type UserAction =
  | { readonly kind: "edit"; readonly approval: string; readonly digest: string; readonly input: object }
  | { readonly kind: "reassign"; readonly approval: string; readonly digest: string; readonly to: string }
  | { readonly kind: "withdraw"; readonly call: string }
  | { readonly kind: "resolve"; readonly call: string; readonly finding: Finding }
  | { readonly kind: "probe"; readonly call: string }
  | { readonly kind: "retry"; readonly call: string }
  | { readonly kind: "undo"; readonly call: string }
  | { readonly kind: "claim"; readonly call: string; readonly claimToken: string }
  | {
      readonly kind: "report";
      readonly call: string;
      readonly claimToken: string;
      readonly as: "succeeded" | "not-performed";
    }
  | {
      readonly kind: "say";
      readonly call: string;
      readonly as: "question" | "answer";
      /** The idempotency key of the message. */
      readonly key: string;
    };

interface UserActionRequest {
  readonly path: string;
  readonly body: object;
  readonly headers?: Record<string, string>;
}

export function toActionRequest(action: UserAction): UserActionRequest {
  switch (action.kind) {
    case "edit": {
      const { approval, digest, input } = action;
      return { path: `/v1/approvals/${approval}/edit`, body: { digest, input, reason: "better so" } };
    }
    case "reassign": {
      const { approval, digest, to } = action;
      return { path: `/v1/approvals/${approval}/reassign`, body: { digest, to } };
    }
    case "withdraw":
      return { path: `/v1/calls/${action.call}/withdrawal`, body: { reason: "no longer wanted" } };
    case "resolve": {
      const body = { finding: action.finding, reason: "looked it up" };
      return { path: `/v1/calls/${action.call}/resolution`, body };
    }
    case "probe":
      return { path: `/v1/calls/${action.call}/probe`, body: {} };
    case "retry":
      return { path: `/v1/calls/${action.call}/retry`, body: {} };
    case "undo":
      return { path: `/v1/calls/${action.call}/undo`, body: {} };
    case "claim":
      return { path: `/v1/calls/${action.call}/claim`, body: { claimToken: action.claimToken } };
    case "report": {
      const { call, claimToken, as } = action;
      const body = { claimToken, as, ...(as === "succeeded" && { output: { done: true } }) };
      return { path: `/v1/calls/${call}/report`, body };
    }
    case "say":
      return {
        path: `/v1/calls/${action.call}/messages`,
        body: { kind: action.as, text: "and why?" },
        headers: { "idempotency-key": action.key },
      };
  }
}
