import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Send } from "lucide-react";
import { useRef, useState } from "react";
import { ProblemError, post } from "../api/client.ts";
import type { Call, PlannedIntent, PreviewResult } from "../api/types.ts";
import { RulingCard } from "../policies/ruling-card.tsx";
import { type Previewed, PreviewFirst } from "./preview-first.tsx";
import { PreviewedChanges } from "./previewed-changes.tsx";

/** The call that a draft would request. */
export type DraftRequest =
  | { readonly kind: "call"; readonly capability: string; readonly input: Readonly<Record<string, unknown>> }
  | {
      readonly kind: "plan";
      readonly plan: Readonly<Record<string, unknown>>;
      /** The words behind the plan. Missing if a person changed the plan, because then they do not describe it. */
      readonly intent?: PlannedIntent["intent"];
    };

/** Returns the text by which a draft recognizes the request of a preview. */
export function identify(request: DraftRequest): string {
  return JSON.stringify(request.kind === "call" ? [request.capability, request.input] : [request.plan]);
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
          wanted.kind === "call"
            ? { capability: wanted.capability, input: wanted.input }
            : { plan: wanted.plan },
        )
      }
      show={(wanted, result) => (
        <>
          <PreviewedChanges input={wanted.kind === "call" ? wanted.input : wanted.plan} result={result} />
          <RulingCard result={result} />
        </>
      )}
      act={(wanted, result) =>
        result.ruling !== "block" && <RequestBar request={wanted} onRequested={onRequested} />
      }
    />
  );
}

function RequestBar({
  request,
  onRequested,
}: {
  readonly request: DraftRequest;
  readonly onRequested: (() => void) | undefined;
}) {
  const [purpose, setPurpose] = useState("");
  const navigate = useNavigate();
  // A repeated request with the same key is one call. The key must not be used for another reason.
  const key = useRef({ purpose: "", id: crypto.randomUUID() });
  const noun = request.kind === "plan" ? "plan" : "call";
  const send = useMutation({
    mutationFn: () => {
      const reason = purpose.trim();
      if (key.current.purpose !== reason) key.current = { purpose: reason, id: crypto.randomUUID() };
      const { kind, ...body } = request;
      return post<Call>(
        `/v1/${kind}s`,
        { ...body, ...(reason !== "" && { purpose: reason }) },
        { "idempotency-key": key.current.id },
      );
    },
    onSuccess: async ({ call }) => {
      onRequested?.();
      await navigate({ to: request.kind === "plan" ? "/plans/$call" : "/calls/$call", params: { call } });
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
      <label className="grid gap-1">
        <span className="text-sm text-muted">Why is it needed? Approvers read this. (optional)</span>
        <input
          value={purpose}
          onChange={({ target }) => setPurpose(target.value)}
          maxLength={2_000}
          autoComplete="off"
          className="h-9 w-full rounded-control border border-edge bg-surface px-2 max-md:h-11"
        />
      </label>
      {send.isError && (
        <p role="alert" className="text-critical">
          {send.error instanceof ProblemError
            ? send.error.problem.detail
            : `The server did not answer. Press the button again: the ${noun} is requested once.`}
        </p>
      )}
      <button
        type="submit"
        className="btn btn-primary justify-self-start max-md:w-full"
        aria-disabled={send.isPending}
      >
        <Send size={16} aria-hidden="true" />
        Request this {noun}
      </button>
    </form>
  );
}
