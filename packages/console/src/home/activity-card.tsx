import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { hoursQuery } from "../api/overview-queries.ts";
import { Card } from "../ui/card.tsx";
import { LoadError, Skeleton } from "../ui/states.tsx";
import { HourChart } from "./hour-chart.tsx";
import { countHours } from "./hours.ts";

/** The outcomes of the last 24 hours, as a chart and as a table. */
export function ActivityCard() {
  const { data, error, isPending, refetch } = useQuery(hoursQuery);
  return (
    <Card
      title="Calls in the last 24 hours"
      more={
        <Link to="/statistics" search={{ period: "day" }} className="link">
          Open statistics
        </Link>
      }
    >
      {isPending ? (
        <Skeleton rows={4} />
      ) : data ? (
        <HourChart hours={countHours(data.start, data.statistics)} />
      ) : (
        <LoadError error={error} onRetry={() => void refetch()} />
      )}
    </Card>
  );
}
