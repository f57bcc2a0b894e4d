import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { ListChecks, type LucideIcon, Send, Zap } from "lucide-react";
import { useRef, useState } from "react";
import { ProblemError, post } from "../api/client.ts";
import type { Call, PlannedIntent, PreviewResult } from "../api/types.ts";
import { RulingCard } from "../policies/ruling-card.tsx";
import { type Previewed, PreviewFirst } from "./preview-first.tsx";
import { PreviewedChanges } from "./previewed-changes.tsx";
import { ReasonField } from "./reason-field.tsx";

type Input = Readonly<Record<string, unknown>>;

/** The call that a draft would request. */
export type DraftRequest =
  | {
      readonly kind: "call";
      readonly capability: string;
      readonly input: Input;
      /** Present if the requester performs the call itself, after Paraph has ruled on it. */
      readonly performer?: "agent" | undefined;
    }
  | {
      readonly kind: "undo";
      /** The call to undo. */
      readonly call: string;
      readonly capability: string;
      readonly input: Input;
    }
  | {
      readonly kind: "plan";
      readonly plan: Input;
      /** The words behind the plan. Missing if a person changed the plan, because then they do not describe it. */
      readonly intent?: PlannedIntent["intent"];
    };

/** Returns the text by which a draft recognizes the request of a preview. */
export function identify(request: DraftRequest): string {
  switch (request.kind) {
    case "call":
      return JSON.stringify([request.capability, request.input]);
    case "undo":
      return JSON.stringify(["undo", request.call]);
    case "plan":
      return JSON.stringify([request.plan]);
  }
}

/**
 * Shows what a request would change and how policy would rule. A person can request exactly what the preview belongs to.
 * Any change of the draft needs a new preview.
 */
export function Draft({
  request,
  given,
  onFaults,
  onRequested,
}: {
  /** Undefined while the draft has a fault. */
  readonly request: DraftRequest | undefined;
  /** The preview that came with the draft. */
  readonly given?: Previewed<PreviewResult>;
  /** Called if a person previews a draft with a fault. */
  readonly onFaults?: () => void;
  readonly onRequested?: () => void;
}) {
  return (
    <PreviewFirst
      draft={request && { of: identify(request), value: request }}
      given={given}
      onFaults={onFaults}
      load={(wanted) =>
        post<PreviewResult>(
          "/v1/previews",
          wanted.kind === "plan"
            ? { plan: wanted.plan }
            : { capability: wanted.capability, input: wanted.input },
        )
      }
      show={(wanted, result) => (
        <>
          <PreviewedChanges input={wanted.kind === "plan" ? wanted.plan : wanted.input} result={result} />
          <RulingCard result={result} />
        </>
      )}
      act={(wanted, result) =>
        result.ruling !== "block" && (
          <RequestBar request={wanted} ruling={result.ruling} onRequested={onRequested} />
        )
      }
    />
  );
}

/** A ruling under which a person can request the call. */
type Ruling = Exclude<PreviewResult["ruling"], "block">;

/** The icon and the words of the button, and what follows the press. */
const next: Record<Ruling, readonly [LucideIcon, string, string]> = {
  allow: [Zap, "Do it now", "Policy needs no approval. It takes effect at once."],
  check: [ListChecks, "Request it", "Checks run first. Policy then rules again."],
  ask: [Send, "Ask for approval", "Nothing happens until people have approved it."],
};
const claim = [
  Send,
  "Request it",
  "Policy needs no approval. You then claim the call and perform it.",
] as const;

/** Requests a draft. The button says what the press leads to, according to the ruling of the preview. */
function RequestBar({
  request,
  ruling,
  onRequested,
}: {
  readonly request: DraftRequest;
  readonly ruling: Ruling;
  readonly onRequested: (() => void) | undefined;
}) {
  const [purpose, setPurpose] = useState("");
  const navigate = useNavigate();
  // A repeated request with the same key is one call. The key must not be used for another reason.
  const key = useRef({ purpose: "", id: crypto.randomUUID() });
  const noun = request.kind === "plan" ? "plan" : "call";
  const isPerformedLater = request.kind === "call" && request.performer !== undefined;
  const [Icon, button, effect] = ruling === "allow" && isPerformedLater ? claim : next[ruling];
  const send = useMutation({
    mutationFn: () => {
      const reason = purpose.trim();
      if (key.current.purpose !== reason) key.current = { purpose: reason, id: crypto.randomUUID() };
      const [path, body] = toRequest(request);
      return post<Call>(
        path,
        { ...body, ...(reason !== "" && { purpose: reason }) },
        { "idempotency-key": key.current.id },
      );
    },
    onSuccess: async ({ call, capability }) => {
      onRequested?.();
      await navigate({ to: capability === "plan.apply" ? "/plans/$call" : "/calls/$call", params: { call } });
    },
  });
  return (
    <form
      aria-label={`Request the ${noun}`}
      className="card grid gap-3 p-3.5"
      onSubmit={(event) => {
        event.preventDefault();
        if (!send.isPending) send.mutate();
      }}
    >
      <ReasonField
        label={`Why is it needed? ${ruling === "ask" ? "Approvers read this." : "The record keeps this."}`}
        value={purpose}
        onChange={setPurpose}
      />
      {send.isError && (
        <p role="alert" className="text-critical">
          {send.error instanceof ProblemError
            ? send.error.problem.detail
            : `The server did not answer. Press the button again: the ${noun} is requested once.`}
        </p>
      )}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <button type="submit" className="btn btn-primary max-md:w-full" aria-disabled={send.isPending}>
          <Icon size={16} aria-hidden="true" />
          {request.kind === "undo" && ruling === "allow" ? "Undo it now" : button}
        </button>
        <p className="text-sm text-muted">{effect}</p>
      </div>
    </form>
  );
}

/** Returns the address and the body of a request, without its purpose. */
function toRequest(request: DraftRequest): readonly [path: string, body: object] {
  switch (request.kind) {
    case "call":
      return ["/v1/calls", { capability: request.capability, input: request.input }];
    case "undo":
      return [`/v1/calls/${encodeURIComponent(request.call)}/undo`, {}];
    case "plan":
      return ["/v1/plans", { plan: request.plan, ...(request.intent && { intent: request.intent }) }];
  }
}
