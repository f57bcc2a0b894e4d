import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { CallSummary } from "../api/types.ts";
import { OutcomeMark } from "../calls/outcome-mark.tsx";
import { Foreign } from "../lib/foreign.tsx";
import { formatAgo, useNow } from "../lib/time.ts";

/** A closed call in a list: the fact, how it ended, who requested it and when. */
export function CallItem({ call, children }: { readonly call: CallSummary; readonly children?: ReactNode }) {
  const now = useNow();
  const endedAt = call.closedAt ?? call.createdAt;
  return (
    <li className="border-b border-line px-3.5 py-2.5 last:border-b-0">
      <Link
        to="/calls/$call"
        params={{ call: call.call }}
        className="block font-medium hover:underline max-md:min-h-7"
      >
        <Foreign text={call.headline} />
      </Link>
      {children}
      <p className="flex flex-wrap gap-x-2 text-sm text-muted">
        <OutcomeMark {...call} />
        <span>
          <Foreign text={call.principal} />,{" "}
          <time dateTime={endedAt} title={endedAt}>
            {formatAgo(endedAt, now)}
          </time>
        </span>
      </p>
    </li>
  );
}
