import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { ProblemError, post } from "../api/client.ts";
import type { Call } from "../api/types.ts";
import { Sentence } from "../lib/foreign.tsx";
import { Sheet } from "../ui/sheet.tsx";
import type { PolicyFile } from "./policy-draft.ts";

/** Requests the call that puts a candidate in force. Policy decides who must approve it. */
export function PublishSheet({
  sources,
  onClose,
}: {
  readonly sources: readonly PolicyFile[];
  readonly onClose: () => void;
}) {
  const [purpose, setPurpose] = useState("");
  // A repeated request with the same key is one call.
  const key = useRef(crypto.randomUUID());
  const navigate = useNavigate();
  const request = useMutation({
    mutationFn: () => {
      const body = {
        capability: "admin.policy_publish",
        input: { sources },
        ...(purpose.trim() !== "" && { purpose: purpose.trim() }),
      };
      return post<Call>("/v1/calls", body, { "idempotency-key": key.current });
    },
    onSuccess: ({ call }) => navigate({ to: "/calls/$call", params: { call } }),
  });
  return (
    <Sheet isOpen onClose={onClose} title="Request the publication?">
      <p className="mt-1 text-muted">
        This puts nothing in force yet. The approvers see every changed text and a backtest of the last 30
        days.
      </p>
      <form
        className="mt-4 grid gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          if (!request.isPending) request.mutate();
        }}
      >
        <label className="grid gap-1">
          <span className="text-sm text-muted">Why is it needed?</span>
          <textarea
            value={purpose}
            onChange={({ target }) => setPurpose(target.value)}
            rows={3}
            maxLength={2_000}
            className="rounded-control border border-edge bg-surface p-2"
          />
        </label>
        {request.isError && (
          <p role="alert" className="text-critical">
            <Sentence
              text={
                request.error instanceof ProblemError
                  ? request.error.problem.detail
                  : "The server did not answer. Send it again: it is requested once."
              }
            />
          </p>
        )}
        <button type="submit" className="btn btn-primary" aria-disabled={request.isPending}>
          Request publication
        </button>
        <button type="button" className="btn" onClick={onClose}>
          Go back
        </button>
      </form>
    </Sheet>
  );
}
