import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { callQuery } from "../api/queries.ts";
import type { Call } from "../api/types.ts";
import { OutcomeMark } from "../calls/outcome-mark.tsx";
import { Foreign, formatJson, Sentence } from "../lib/foreign.tsx";

/** Shows the state of a requested call, with links to it and to its approval. */
export function CallProgress({ requested }: { readonly requested: Call }) {
  const { data: call = requested } = useQuery(callQuery(requested.call));
  const { waiting, refusal, error, instructions, approval } = call;
  const message =
    refusal?.sentence ??
    (error !== undefined ? formatError(error) : undefined) ??
    (instructions !== undefined ? `Instructions: ${instructions}` : undefined);
  return (
    <div role="status" className="card grid gap-1 p-3.5">
      <p className="font-semibold">
        <Foreign text={call.headline} />
      </p>
      <p>
        <OutcomeMark state={call.state} outcome={call.outcome} />
      </p>
      {waiting && <p className="text-muted">{waiting.how.split(". ")[0]}.</p>}
      {message !== undefined && (
        <p>
          <Sentence text={message} />
        </p>
      )}
      <p className="flex flex-wrap gap-x-4">
        <Link to="/calls/$call" params={{ call: call.call }} className="link max-md:min-h-11 max-md:py-2.5">
          Open the call
        </Link>
        {waiting && approval && (
          <Link
            to="/approvals/$approval"
            params={{ approval: approval.id }}
            className="link max-md:min-h-11 max-md:py-2.5"
          >
            Open the approval
          </Link>
        )}
      </p>
    </div>
  );
}

function formatError(error: unknown): string {
  return typeof error === "string" ? error : formatJson(error);
}

/** Returns whether a call succeeded or can still succeed. */
export function canStillSucceed({ outcome }: Call): boolean {
  return outcome === undefined || outcome.kind === "succeeded";
}
