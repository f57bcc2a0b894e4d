import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleCheck } from "lucide-react";
import { useState } from "react";
import { unknownCallsQuery } from "../api/overview-queries.ts";
import { Foreign } from "../lib/foreign.tsx";
import { useTitle } from "../shell/use-title.ts";
import { Empty, LoadError, Notice, Skeleton } from "../ui/states.tsx";
import { UnknownCard } from "./unknown-card.tsx";
import type { Resolved } from "./use-resolution.ts";

/** The calls whose effect is not known, as questions that a person answers with evidence. */
export function UnknownPage() {
  const { data, error, isPending, refetch } = useQuery(unknownCallsQuery);
  const [resolved, setResolved] = useState<readonly Resolved[]>([]);
  const calls = data?.calls ?? [];
  useTitle(calls.length > 0 ? `(${calls.length}) Unknown` : "Unknown");
  if (isPending) return <Skeleton />;
  if (!data) return <LoadError error={error} onRetry={() => void refetch()} />;
  return (
    <div className="h-full overflow-y-auto bg-canvas px-4 pt-6 pb-10 md:px-8">
      <div className="mx-auto grid max-w-190 gap-4">
        <header>
          <h1 className="text-2xl font-semibold">
            {calls.length > 0 ? "Did these calls take effect?" : "No unknown outcomes"}
          </h1>
          {calls.length > 0 && (
            <p className="mt-1 text-muted">
              Paraph attempted each call, and the answer was lost. Check the external system, and record what
              you found. Your finding is signed, and releases the locks of the call.
            </p>
          )}
        </header>
        {resolved.map((one) => (
          <Notice key={one.call} tone="good" icon={CircleCheck}>
            Recorded: <Foreign text={one.headline} />{" "}
            {one.finding === "happened" ? "happened" : "did not happen"}.{" "}
            <Link to="/calls/$call" params={{ call: one.retriedAs ?? one.call }} className="link">
              {one.retriedAs === undefined ? "Open the call" : "Open the new call"}
            </Link>
          </Notice>
        ))}
        {calls.length === 0 && (
          <Empty title="Every outcome is known">
            If the answer of an external system is lost, the call appears here, and no retry happens by
            itself.
          </Empty>
        )}
        {calls.map((call) => (
          <UnknownCard
            key={call.call}
            summary={call}
            onResolved={(one) => setResolved((all) => [one, ...all])}
          />
        ))}
        {data.next !== undefined && (
          <p className="text-muted">Earlier calls follow when these are resolved.</p>
        )}
      </div>
    </div>
  );
}
