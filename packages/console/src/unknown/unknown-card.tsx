import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleHelp } from "lucide-react";
import { useId } from "react";
import { callQuery } from "../api/queries.ts";
import type { CallSummary } from "../api/types.ts";
import { Code } from "../approval/blocks.tsx";
import { OutcomeReason } from "../calls/outcome-reason.tsx";
import { Foreign, formatJson } from "../lib/foreign.tsx";
import { formatAgo, useNow } from "../lib/time.ts";
import { ResolutionForm } from "./resolution-form.tsx";
import type { Resolved } from "./use-resolution.ts";

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
  const now = useNow();
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
      <ResolutionForm call={summary} onResolved={onResolved} />
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
