import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleHelp, CirclePause, CircleX, type LucideIcon, PlugZap } from "lucide-react";
import type { ReactNode } from "react";
import { adaptersQuery, freezesQuery, stuckCallsQuery, unknownCallsQuery } from "../api/overview-queries.ts";
import { Foreign, Sentence } from "../lib/foreign.tsx";
import { formatDuration, formatTime, useNow } from "../lib/time.ts";
import { Card } from "../ui/card.tsx";
import { LoadError, Skeleton } from "../ui/states.tsx";

const maxCalls = 4;

/** Lists problems that need a person: unknown outcomes, stuck calls, freezes, and adapters that do not work. */
export function AttentionCard() {
  const now = useNow();
  const unknown = useQuery(unknownCallsQuery);
  const stuck = useQuery(stuckCallsQuery);
  const freezes = useQuery(freezesQuery);
  const adapters = useQuery(adaptersQuery);
  const queries = [unknown, stuck, freezes, adapters];
  const failed = queries.find(({ data, error }) => error && !data);
  const ago = (at: string) => formatDuration(Math.max(0, now - Date.parse(at)));
  const items = [
    ...(freezes.data?.freezes ?? [])
      .filter(({ disabled }) => !disabled)
      .map(({ freeze, kind, subject, by, at }) => (
        <Item
          key={freeze}
          icon={CirclePause}
          color="text-critical"
          detail={
            <>
              By <Foreign text={by} /> since {formatTime(at, now)}
            </>
          }
        >
          <Link to="/calls" search={{ heldBy: freeze }} className="hover:underline">
            <Foreign text={kind === "tenant" ? "The whole tenant" : subject} /> is frozen
          </Link>
        </Item>
      )),
    ...(unknown.data?.calls ?? []).slice(0, maxCalls).map(({ call, headline, closedAt, createdAt }) => (
      <Item
        key={call}
        icon={CircleHelp}
        color="text-unknown"
        detail={`Outcome unknown for ${ago(closedAt ?? createdAt)}`}
      >
        <Link to="/unknown" className="hover:underline">
          Did this happen? <Foreign text={headline} />
        </Link>
      </Item>
    )),
    ...(stuck.data?.calls ?? []).map(({ call, headline, stuck }) => (
      <Item key={call} icon={CircleX} color="text-high" detail={`Does not continue: ${stuck}`}>
        <Link to="/calls/$call" params={{ call }} className="hover:underline">
          <Foreign text={headline} />
        </Link>
      </Item>
    )),
    ...(adapters.data?.adapters ?? [])
      .filter(({ state }) => state !== "ready")
      .map(({ name, state, message }) => (
        <Item
          key={name}
          icon={PlugZap}
          color="text-high"
          detail={message !== undefined && <Sentence text={message} />}
        >
          <Link to="/adapters/$name" params={{ name }} className="hover:underline">
            <Foreign text={name} />
          </Link>{" "}
          {state === "unavailable" ? "is unavailable" : "is degraded"}
        </Item>
      )),
  ];
  const rest = (unknown.data?.calls.length ?? 0) - maxCalls;
  return (
    <Card title="Needs attention">
      {failed ? (
        <LoadError error={failed.error as Error} onRetry={() => void failed.refetch()} />
      ) : items.length > 0 ? (
        <ul>{items}</ul>
      ) : queries.some(({ isPending }) => isPending) ? (
        <Skeleton rows={2} />
      ) : (
        <p className="p-3.5 text-muted">No unknown outcome, no freeze, and all adapters answer.</p>
      )}
      {rest > 0 && (
        <p className="border-t border-line px-3.5 py-2.5 text-sm text-muted">
          And {rest} more unknown outcomes
        </p>
      )}
    </Card>
  );
}

function Item({
  icon: Icon,
  color,
  detail,
  children,
}: {
  readonly icon: LucideIcon;
  readonly color: string;
  readonly detail: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <li className="flex gap-2.5 border-b border-line px-3.5 py-2.5 last:border-b-0">
      <Icon size={16} aria-hidden="true" className={`mt-0.5 flex-none ${color}`} />
      <div className="min-w-0">
        <p className="font-semibold">{children}</p>
        <p className="text-sm text-muted">{detail}</p>
      </div>
    </li>
  );
}
