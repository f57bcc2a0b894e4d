import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { finishedCallsQuery } from "../api/overview-queries.ts";
import { Card } from "../ui/card.tsx";
import { LoadError, Skeleton } from "../ui/states.tsx";
import { CallItem } from "./call-item.tsx";

/** The calls that ended last. */
export function FinishedCard() {
  const { data, error, isPending, refetch } = useQuery(finishedCallsQuery);
  return (
    <Card
      title="Just finished"
      more={
        <Link to="/calls" search={{ state: "closed" }} className="link">
          Open calls
        </Link>
      }
    >
      {isPending ? (
        <Skeleton rows={3} />
      ) : !data ? (
        <LoadError error={error} onRetry={() => void refetch()} />
      ) : data.calls.length === 0 ? (
        <p className="p-3.5 text-muted">No call has ended yet.</p>
      ) : (
        <ul>
          {data.calls.map((call) => (
            <CallItem key={call.call} call={call} />
          ))}
        </ul>
      )}
    </Card>
  );
}
