import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { MessageSquareText } from "lucide-react";
import { inboxQuery } from "../api/queries.ts";
import type { InboxItem } from "../api/types.ts";
import { isForReader } from "../inbox/for-reader.ts";
import { useMedia } from "../lib/media.ts";
import { formatDuration, useNow } from "../lib/time.ts";
import { useOpenPalette } from "../palette/palette-host.tsx";
import { useTitle } from "../shell/use-title.ts";
import { LoadError, Skeleton } from "../ui/states.tsx";
import { ActivityCard } from "./activity-card.tsx";
import { AttentionCard } from "./attention-card.tsx";
import { DecisionsCard } from "./decisions-card.tsx";
import { FinishedCard } from "./finished-card.tsx";
import { FirstRun, useFirstRun } from "./first-run.tsx";
import { NotPerformedCard } from "./not-performed-card.tsx";

/** Shows the reader's requests, problems, and the activity of the last hours. */
export function HomePage() {
  const inbox = useInfiniteQuery(inboxQuery);
  const firstRun = useFirstRun();
  const open = inbox.data?.pages.flatMap(({ items }) => items) ?? [];
  const items = open.filter(isForReader);
  const own = open.filter(({ voter }) => voter === "own-call");
  const isPartial = inbox.hasNextPage;
  const isWide = useMedia("(width >= 64rem)");
  useTitle(items.length > 0 ? `(${items.length}) Home` : "Home");
  if (inbox.isPending || firstRun === undefined) return <Skeleton />;
  if (!inbox.data) return <LoadError error={inbox.error} onRetry={() => void inbox.refetch()} />;
  return (
    <div className="h-full overflow-y-auto bg-canvas px-4 pt-6 pb-10 md:px-8 lg:px-10">
      <div className="mx-auto max-w-290">
        <PromptBox />
        <Heading items={items} isPartial={isPartial} />
        <div className="grid gap-5 lg:grid-cols-[minmax(0,1fr)_22rem]">
          <div className="grid min-w-0 content-start gap-5">
            {firstRun && <FirstRun progress={firstRun} />}
            {items.length > 0 && <DecisionsCard title="Soonest first" items={items} />}
            {own.length > 0 && <DecisionsCard title="Waiting for others" tab="others" items={own} />}
            {!isWide && <AttentionCard />}
            {!firstRun && <ActivityCard />}
          </div>
          <div className="grid min-w-0 content-start gap-5">
            {isWide && <AttentionCard />}
            {!firstRun && <NotPerformedCard />}
            {!firstRun && <FinishedCard />}
          </div>
        </div>
      </div>
    </div>
  );
}

/** Opens the prompt of the palette. It has the look of a field, because a person writes next. */
function PromptBox() {
  const open = useOpenPalette();
  return (
    <button
      type="button"
      aria-haspopup="dialog"
      onClick={() => open("ask")}
      className="mb-6 flex h-11 w-full items-center gap-3 rounded-lg border border-edge bg-surface px-3.5 text-left text-muted hover:text-text"
    >
      <MessageSquareText size={16} aria-hidden="true" className="flex-none" />
      <span className="min-w-0 flex-1 truncate">Draft a request: “Refund €12.50 for payment pay_8Zk2”</span>
      <kbd className="rounded border border-line bg-sunken px-1.5 text-xs max-md:hidden">/</kbd>
    </button>
  );
}

function Heading({
  items,
  isPartial,
}: {
  readonly items: readonly InboxItem[];
  readonly isPartial: boolean;
}) {
  const next = items[0]?.expiresAt;
  const left = useNow(next);
  const count = `${items.length}${isPartial ? "+" : ""}`;
  if (next === undefined)
    return (
      <>
        <h1 className="text-2xl font-semibold">Nothing waits for you</h1>
        <p className="mt-1 mb-6 text-lg text-muted">
          Calls that need your decision appear here by themselves.
        </p>
      </>
    );
  const remaining = Date.parse(next) - left;
  return (
    <div className="mb-6 flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
      <div>
        <h1 className="text-2xl font-semibold">
          {count === "1" ? "1 decision waits for you" : `${count} decisions wait for you`}
        </h1>
        <p className="mt-1 text-lg text-muted">
          {count === "1" ? "It" : "The next one"} expires in{" "}
          <strong className={`font-semibold ${remaining < 15 * 60_000 ? "text-critical" : ""}`}>
            {formatDuration(Math.max(0, remaining))}
          </strong>
          .
        </p>
      </div>
      <Link to="/inbox" className="btn btn-primary max-md:w-full">
        Review {count === "1" ? "1 decision" : `${count} decisions`}
      </Link>
    </div>
  );
}
