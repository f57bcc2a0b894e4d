import { useQuery } from "@tanstack/react-query";
import { CircleAlert } from "lucide-react";
import { useState } from "react";
import { callQuery, contractQuery } from "../api/queries.ts";
import type { CallSummary } from "../api/types.ts";
import { Notice } from "../ui/states.tsx";
import { type Finding, type Resolved, useResolution } from "./use-resolution.ts";

/** Asks whether a call took effect, and how the person found out. No answer is the default. */
export function ResolutionForm({
  call,
  onResolved,
}: {
  readonly call: Pick<CallSummary, "call" | "headline" | "capability">;
  readonly onResolved: (resolved: Resolved) => void;
}) {
  const [reason, setReason] = useState("");
  const resolution = useResolution(call, onResolved);
  const canRetry = useQuery(callQuery(call.call)).data?.links.retry !== undefined;
  const canProbe = useQuery(contractQuery(call.capability)).data?.idempotency === "probe";
  const isReady = reason.trim() !== "" && !resolution.isSending;
  const resolve = (finding: Finding) => isReady && resolution.resolve(finding, reason.trim());
  return (
    <>
      <label className="grid gap-1">
        <span className="text-sm font-medium">How did you find out?</span>
        <textarea
          value={reason}
          onChange={({ target }) => setReason(target.value)}
          rows={2}
          maxLength={2_000}
          placeholder="Such as: the outbox of the mail server lists it."
          className="rounded-control border border-edge bg-surface p-2"
        />
      </label>
      {resolution.message !== undefined && (
        <Notice tone="high" icon={CircleAlert} isAlert>
          {resolution.message}
        </Notice>
      )}
      <div className="grid gap-2 sm:flex sm:flex-wrap">
        {canProbe && (
          <button type="button" className="btn" disabled={resolution.isSending} onClick={resolution.probe}>
            Probe the system
          </button>
        )}
        <button type="button" className="btn" aria-disabled={!isReady} onClick={() => resolve("happened")}>
          It happened
        </button>
        <button
          type="button"
          className="btn"
          aria-disabled={!isReady}
          onClick={() => resolve("not-happened")}
        >
          It did not happen
        </button>
        {canRetry && (
          <button
            type="button"
            className="btn"
            aria-disabled={!isReady}
            onClick={() => isReady && resolution.retry(reason.trim())}
          >
            It did not happen: try again
          </button>
        )}
      </div>
      {reason.trim() === "" && (
        <p className="text-sm text-muted">
          To answer, first write how you found out. {canRetry && "Trying again is a new call."}
        </p>
      )}
    </>
  );
}
