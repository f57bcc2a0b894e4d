import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { ArrowUp, ChevronLeft } from "lucide-react";
import { useState } from "react";
import { bundleQuery } from "../api/queries.ts";
import type { ApprovalSummary } from "../api/types.ts";
import { InboxLink } from "../inbox/inbox-link.tsx";
import { Foreign } from "../lib/foreign.tsx";
import { useTitle } from "../shell/use-title.ts";
import { Empty, LoadError, Skeleton } from "../ui/states.tsx";
import { BundleBar, ChooseAll } from "./bundle-bar.tsx";
import { BundleItem } from "./bundle-item.tsx";
import { useBundleDecision } from "./use-bundle-decision.ts";

/** The bundle that the page shows: the open requests of one requester for one capability. */
export interface BundleSearch {
  readonly principal?: string | undefined;
  readonly capability?: string | undefined;
  /** The tab of the inbox that the bundle was opened from. */
  readonly tab?: "others" | undefined;
}

/** The API takes at most this number of decisions at once, and a bundle lists at most as many. */
export const maxItems = 100;
const firstItems = 20;

/** Many alike requests, each shown completely with its own decision, which are sent together. */
export function BundlePage() {
  const { principal = "", capability = "", tab } = useSearch({ from: "/bundles" });
  const { data, isPending, error, refetch } = useQuery(bundleQuery(principal, capability, maxItems));
  useTitle("Similar requests");
  if (isPending) return <Skeleton />;
  if (!data) return <LoadError error={error} onRetry={() => void refetch()} />;
  return (
    <Bundle
      key={`${principal} ${capability}`}
      principal={principal}
      capability={capability}
      tab={tab}
      current={data.approvals}
    />
  );
}

function Bundle({
  principal,
  capability,
  tab,
  current,
}: {
  readonly principal: string;
  readonly capability: string;
  readonly tab: BundleSearch["tab"];
  readonly current: readonly ApprovalSummary[];
}) {
  // No row moves under the pointer: decided requests keep their place, and new ones appear after a press.
  const [items, setItems] = useState(current);
  const [count, setCount] = useState(firstItems);
  const known = new Set(items.map(({ approval }) => approval));
  const newCount = current.filter(({ approval }) => !known.has(approval)).length;
  const shown = items.slice(0, count);
  const ids = shown.map(({ approval }) => approval);
  const decision = useBundleDecision();
  const total = items.length === maxItems ? `At least ${maxItems}` : String(items.length);
  return (
    <article aria-labelledby="fact" className="flex h-full flex-col">
      <div className="flex h-13 flex-none items-center border-b border-line px-4 md:px-6">
        <InboxLink
          search={() => ({ tab })}
          className="-ml-2 flex min-h-9 items-center gap-1 pr-2 text-sm font-medium max-md:min-h-11"
        >
          <ChevronLeft size={18} aria-hidden="true" />
          Inbox
        </InboxLink>
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto px-4 pt-4 pb-8 md:px-6">
        <div className="grid max-w-190 grid-cols-[minmax(0,1fr)] gap-4">
          <header>
            <h1 id="fact" tabIndex={-1} className="text-2xl leading-8 font-semibold outline-none">
              {total} similar requests from <Foreign text={principal} />
            </h1>
            <p className="mt-1 text-muted">
              <code className="[overflow-wrap:anywhere]">{capability}</code>. Each request is decided by
              itself. Requests that you leave open stay open.
            </p>
          </header>
          <ChooseAll shown={ids} decision={decision} />
          {newCount > 0 && (
            <button type="button" className="btn justify-self-start" onClick={() => setItems(current)}>
              <ArrowUp size={16} aria-hidden="true" />
              Show {newCount} new
            </button>
          )}
          {items.length === 0 && (
            <Empty title="No request is open">All of them were decided or expired.</Empty>
          )}
          <ol className="grid grid-cols-[minmax(0,1fr)] gap-4">
            {shown.map(({ approval }, index) => (
              <li key={approval}>
                <BundleItem approval={approval} number={index + 1} decision={decision} />
              </li>
            ))}
          </ol>
          {items.length > count && (
            <button
              type="button"
              className="btn justify-self-start"
              onClick={() => setCount(count + firstItems)}
            >
              Show {Math.min(firstItems, items.length - count)} more
            </button>
          )}
        </div>
      </div>
      <BundleBar shown={ids} decision={decision} />
    </article>
  );
}
