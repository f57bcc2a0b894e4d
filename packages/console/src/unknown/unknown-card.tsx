import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleAlert, CircleHelp } from "lucide-react";
import { useId, useState } from "react";
import { callQuery, contractQuery } from "../api/queries.ts";
import type { CallSummary } from "../api/types.ts";
import { Code } from "../approval/blocks.tsx";
import { OutcomeReason } from "../calls/outcome-reason.tsx";
import { Foreign, formatJson } from "../lib/foreign.tsx";
import { formatAgo, useNow } from "../lib/time.ts";
import { Notice } from "../ui/states.tsx";
import { type Finding, type Resolved, useResolution } from "./use-resolution.ts";

/** One call with an unknown outcome: what is asked, what is known, and the answers. None is the default. */
export function UnknownCard({
  summary,
  onResolved,
}: {
  readonly summary: CallSummary;
  readonly onResolved: (resolved: Resolved) => void;
}) {
  const { call, headline, principal, capability, outcome } = summary;
  const titleId = useId();
  const [reason, setReason] = useState("");
  const resolution = useResolution(summary, onResolved);
  const canProbe = useQuery(contractQuery(capability)).data?.idempotency === "probe";
  const now = useNow();
  const isReady = reason.trim() !== "" && !resolution.isSending;
  const resolve = (finding: Finding) => isReady && resolution.resolve(finding, reason.trim());
  return (
    <article aria-labelledby={titleId} className="card grid gap-3 p-4">
      <div>
        <p className="flex items-center gap-1.5 text-sm font-semibold text-unknown">
          <CircleHelp size={15} aria-hidden="true" />
          Did this happen?
        </p>
        <h2 id={titleId} className="mt-1 text-xl font-semibold">
          <Foreign text={headline} />
        </h2>
        <p className="text-sm text-muted">
          Requested by <Foreign text={principal} />, attempted{" "}
          {formatAgo(summary.closedAt ?? summary.createdAt, now)}, <code>{capability}</code>.{" "}
          <Link to="/calls/$call" params={{ call }} className="link">
            Open the call
          </Link>
        </p>
        {outcome && (
          <p className="mt-1 text-sm text-muted">
            <OutcomeReason outcome={outcome} />
          </p>
        )}
      </div>
      <CallInput call={call} />
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
        <button
          type="button"
          className="btn"
          aria-disabled={!isReady}
          onClick={() => isReady && resolution.retry(reason.trim())}
        >
          It did not happen: try again
        </button>
      </div>
      {reason.trim() === "" && (
        <p className="text-sm text-muted">
          To answer, first write how you found out. Trying again is a new call.
        </p>
      )}
    </article>
  );
}

function CallInput({ call }: { readonly call: string }) {
  const { data } = useQuery(callQuery(call));
  if (!data) return null;
  return data.input === undefined ? (
    <p className="text-muted">The input was erased.</p>
  ) : (
    <Code text={formatJson(data.input)} />
  );
}
