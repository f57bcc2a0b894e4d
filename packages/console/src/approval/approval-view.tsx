import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { AlarmClock, ChevronDown, ChevronLeft, ChevronUp, RefreshCw } from "lucide-react";
import { useRef } from "react";
import { approvalQuery, meQuery } from "../api/queries.ts";
import type { Round } from "../api/types.ts";
import { InboxLink } from "../inbox/inbox-link.tsx";
import { useMedia } from "../lib/media.ts";
import { formatDuration, formatTime, useNow, zoneName } from "../lib/time.ts";
import { PlanChoiceContext, useNewPlanChoice } from "../plans/plan-choice.ts";
import { useTitle } from "../shell/use-title.ts";
import { LoadError, Notice, Skeleton } from "../ui/states.tsx";
import { ApprovalBody } from "./approval-body.tsx";
import { DecisionBar } from "./decision-bar.tsx";
import { SeenContext, useSeenChanges } from "./seen.ts";
import { useReveal } from "./use-reveal.ts";

/** The place of an approval in the list that it was opened from. */
export interface ListPlace {
  readonly index: number;
  readonly count: number;
  readonly go: (index: number) => void;
}

/** Everything that an approver needs to decide about one call, and the decision docked below it. */
export function ApprovalView({
  approval,
  place,
}: {
  readonly approval: string;
  readonly place?: ListPlace | undefined;
}) {
  const query = useQuery(approvalQuery(approval));
  const { data } = query;
  if (query.isPending) return <Skeleton />;
  if (query.isError && !data) return <LoadError error={query.error} onRetry={() => void query.refetch()} />;
  if (data?.kind === "past-round")
    return (
      <div className="p-4 md:p-6">
        <BackToInbox />
        <Notice tone="high" icon={RefreshCw} isAlert>
          <h1 className="font-semibold">This request was replaced by a newer one</h1>
          <p>Votes on this request no longer count. The timeline of the call says why.</p>
          <Link to="/approvals/$approval" params={{ approval: data.newest }} className="link">
            Review the new request
          </Link>
        </Notice>
      </div>
    );
  return data && <OpenedRound round={data} place={place} isOutdated={query.isError} />;
}

function OpenedRound({
  round,
  place,
  isOutdated,
}: {
  readonly round: Round;
  readonly place: ListPlace | undefined;
  readonly isOutdated: boolean;
}) {
  const { data: me } = useQuery(meQuery);
  const scroller = useRef<HTMLDivElement>(null);
  const seen = useSeenChanges(scroller);
  const choice = useNewPlanChoice(round);
  const { shown, reveal } = useReveal(round);
  useTitle(round.headline);
  const isLow = useMedia("(max-height: 520px)");
  const bar = <DecisionBar round={round} me={me} hasSeenAll={seen.hasSeenAll} isOutdated={isOutdated} />;
  return (
    <PlanChoiceContext value={choice}>
      <article aria-labelledby="fact" className="flex h-full flex-col">
        <TopBar round={round} place={place} />
        <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto px-4 pt-3 pb-6 md:px-6 md:pt-4.5">
          <SeenContext value={seen}>
            <ApprovalBody round={shown} me={me} reveal={reveal} />
          </SeenContext>
          {isLow && <div className="-mx-4 mt-4 md:-mx-6">{bar}</div>}
        </div>
        {!isLow && <div className="flex-none">{bar}</div>}
      </article>
    </PlanChoiceContext>
  );
}

function BackToInbox() {
  return (
    <InboxLink
      search={({ sel, ...rest }) => rest}
      className="-ml-2 flex min-h-11 items-center gap-1 pr-2 text-lg font-medium lg:hidden"
    >
      <ChevronLeft size={20} aria-hidden="true" />
      Inbox
    </InboxLink>
  );
}

function TopBar({ round, place }: { readonly round: Round; readonly place: ListPlace | undefined }) {
  const now = useNow(round.expiresAt);
  const left = Date.parse(round.expiresAt) - now;
  const isOpen = round.status === "open" && left > 0;
  const isYours = round.voter === "approver" || round.voter === "confirmation";
  const tone = left < 15 * 60_000 && isYours ? "text-critical" : "text-ink";
  return (
    <div className="flex h-13 flex-none items-center gap-2 border-b border-line px-4 text-sm md:px-6">
      <BackToInbox />
      {isOpen && (
        <p className="flex min-w-0 items-center gap-2 max-lg:hidden">
          <AlarmClock size={16} aria-hidden="true" className={isYours ? tone : "text-muted"} />
          <span className={`font-semibold ${isYours ? tone : "text-muted"}`}>
            {isYours ? "Needs your decision in" : "Expires in"} {formatDuration(left)}
          </span>
          <time dateTime={round.expiresAt} title={round.expiresAt} className="text-muted">
            by {formatTime(round.expiresAt, now)} {zoneName}
          </time>
        </p>
      )}
      {place && place.count > 1 && (
        <p className="ml-auto flex items-center gap-1 text-muted">
          {place.index + 1} of {place.count}
          <PlaceButton
            name="Previous request"
            isPossible={place.index > 0}
            onGo={() => place.go(place.index - 1)}
            icon={ChevronUp}
          />
          <PlaceButton
            name="Next request"
            isPossible={place.index + 1 < place.count}
            onGo={() => place.go(place.index + 1)}
            icon={ChevronDown}
          />
        </p>
      )}
    </div>
  );
}

function PlaceButton({
  name,
  isPossible,
  onGo,
  icon: Icon,
}: {
  readonly name: string;
  readonly isPossible: boolean;
  readonly onGo: () => void;
  readonly icon: typeof ChevronUp;
}) {
  return (
    <button
      type="button"
      aria-label={name}
      title={name}
      disabled={!isPossible}
      onClick={onGo}
      className="grid size-8 place-items-center rounded-control text-text disabled:opacity-40 max-md:size-11"
    >
      <Icon size={18} aria-hidden="true" />
    </button>
  );
}
