import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { deniedCallsQuery, expiredCallsQuery, refusedCallsQuery } from "../api/overview-queries.ts";
import { callQuery } from "../api/queries.ts";
import type { CallSummary } from "../api/types.ts";
import { Foreign } from "../lib/foreign.tsx";
import { Card } from "../ui/card.tsx";
import { CallItem } from "./call-item.tsx";

const maxCalls = 4;

/** The last calls that policy refused, a person denied or that expired, and why. Without such calls it shows nothing. */
export function NotPerformedCard() {
  const lists = [
    { outcome: "refused", query: useQuery(refusedCallsQuery) },
    { outcome: "denied", query: useQuery(deniedCallsQuery) },
    { outcome: "expired", query: useQuery(expiredCallsQuery) },
  ] as const;
  const calls = lists
    .flatMap(({ query }) => query.data?.calls ?? [])
    .sort((a, b) => endedAt(b) - endedAt(a))
    .slice(0, maxCalls);
  if (calls.length === 0) return null;
  return (
    <Card
      title="Not performed"
      more={
        <span className="flex flex-wrap gap-x-4">
          {lists.map(
            ({ outcome, query }) =>
              (query.data?.calls.length ?? 0) > 0 && (
                <Link
                  key={outcome}
                  to="/calls"
                  search={{ outcome }}
                  aria-label={`Open ${outcome} calls`}
                  className="link capitalize"
                >
                  {outcome}
                </Link>
              ),
          )}
        </span>
      }
    >
      <ul>
        {calls.map((call) => (
          <CallItem key={call.call} call={call}>
            <Why call={call.call} />
          </CallItem>
        ))}
      </ul>
    </Card>
  );
}

function endedAt({ closedAt, createdAt }: CallSummary): number {
  return Date.parse(closedAt ?? createdAt);
}

function Why({ call }: { readonly call: string }) {
  const { data } = useQuery(callQuery(call));
  const why = data?.refusal?.sentence ?? (typeof data?.reason === "string" ? data.reason : undefined);
  if (why === undefined) return null;
  return (
    <p className="my-0.5 border-l-2 border-line pl-2 text-sm">
      <Foreign text={why} />
    </p>
  );
}
