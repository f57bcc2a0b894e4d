import { useQuery } from "@tanstack/react-query";
import { unknownCallsQuery } from "../api/overview-queries.ts";
import { CountBadge } from "../ui/count-badge.tsx";

/** The number of calls with an unknown outcome that still need a finding. */
export function UnknownCount() {
  const { data } = useQuery(unknownCallsQuery);
  return (
    <CountBadge
      count={data?.calls.length ?? 0}
      isPartial={data?.next !== undefined}
      description="unknown outcomes"
      tone="unknown"
    />
  );
}
