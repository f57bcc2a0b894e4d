import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { ArrowUp } from "lucide-react";
import { inboxQuery } from "../api/queries.ts";
import type { InboxItem, Risk } from "../api/types.ts";
import { ApprovalView } from "../approval/approval-view.tsx";
import { useKeys } from "../shell/use-keys.ts";
import { useTitle } from "../shell/use-title.ts";
import { Empty, LoadError, Skeleton } from "../ui/states.tsx";
import { DecidedList } from "./decided-list.tsx";
import { isForReader } from "./for-reader.ts";
import { InboxLink } from "./inbox-link.tsx";
import { InboxRow } from "./inbox-row.tsx";
import type { InboxSearch } from "./inbox-search.ts";
import { useShownItems } from "./shown-items.ts";

/** The open requests, the soonest to expire first, and the selected one beside them. */
export function InboxPage() {
  const search = useSearch({ from: "/inbox" });
  const navigate = useNavigate({ from: "/inbox" });
  const query = useInfiniteQuery(inboxQuery);
  const all = query.data?.pages.flatMap(({ items }) => items);
  const yours = all?.filter(isForReader);
  const others = all?.filter((item) => !isForReader(item));
  const wanted = (search.tab === "others" ? others : yours)?.filter((item) => matches(item, search));
  const { tab, risk, q } = search;
  const { shown, newCount, showNew } = useShownItems(JSON.stringify([tab, risk, q]), wanted);
  const count = yours?.length ?? 0;
  useTitle(count > 0 ? `(${count}) Inbox` : "Inbox");

  const selectable = shown.filter(({ bundle }) => bundle === undefined);
  const place = selectable.findIndex(({ approval }) => approval === search.sel);
  const select = (index: number) => {
    const approval = selectable[index]?.approval;
    if (approval !== undefined)
      void navigate({
        search: (old) => ({ ...old, steps: undefined, sel: approval }),
        replace: search.sel !== undefined,
      });
  };
  useKeys({
    j: () => select(place + 1),
    k: () => select(Math.max(0, place - 1)),
    enter: () => document.getElementById("fact")?.focus(),
  });

  return (
    <div className="flex h-full">
      <section
        aria-label="Inbox"
        className={`h-full min-w-0 flex-col border-line lg:flex lg:w-98 lg:flex-none lg:border-r ${search.sel === undefined ? "flex flex-1" : "hidden"}`}
      >
        <div className="flex h-13 flex-none items-center gap-2 px-3">
          <h2 className="text-lg font-semibold">Inbox</h2>
          {tab !== "decided" && <Filters search={search} />}
        </div>
        <Tabs yours={yours?.length} others={others?.length} current={tab} />
        <div className="min-h-0 flex-1 overflow-y-auto">
          <p aria-live="polite" className="sr-only">
            {newCount > 0 && `${newCount} new requests`}
          </p>
          {newCount > 0 && tab !== "decided" && (
            <div className="sticky top-0 z-10 flex justify-center">
              <button
                type="button"
                onClick={showNew}
                className="btn btn-primary absolute top-1.5 min-h-8 rounded-full px-3 text-sm shadow-lg"
              >
                <ArrowUp size={14} aria-hidden="true" />
                {newCount} new
              </button>
            </div>
          )}
          {tab === "decided" ? (
            <DecidedList status={search.status ?? "approved"} selected={search.sel} />
          ) : query.isPending ? (
            <Skeleton />
          ) : query.isError && !query.data ? (
            <LoadError error={query.error} onRetry={() => void query.refetch()} />
          ) : shown.length === 0 ? (
            <NothingHere search={search} />
          ) : (
            <>
              <p className="flex h-7.5 items-center border-b border-line bg-canvas px-3 text-xs font-medium text-muted">
                Soonest first
              </p>
              <ul>
                {shown.map((item) => (
                  <li key={item.approval}>
                    <InboxRow item={item} isSelected={item.approval === search.sel} />
                  </li>
                ))}
              </ul>
              {query.hasNextPage && (
                <button type="button" className="btn m-3" onClick={() => void query.fetchNextPage()}>
                  Show later requests
                </button>
              )}
            </>
          )}
        </div>
      </section>
      <div className={`h-full min-w-0 flex-1 ${search.sel === undefined ? "hidden lg:block" : ""}`}>
        {search.sel === undefined ? (
          <Empty title={count > 0 ? "Select a request" : "Nothing waits for you"}>
            {count > 0
              ? "Press J and K to move through the list, and ? for all keys."
              : "Calls that need your decision appear here by themselves."}
          </Empty>
        ) : (
          <ApprovalView
            key={search.sel}
            approval={search.sel}
            place={place >= 0 ? { index: place, count: selectable.length, go: select } : undefined}
          />
        )}
      </div>
    </div>
  );
}

function Tabs({
  yours,
  others,
  current,
}: {
  readonly yours: number | undefined;
  readonly others: number | undefined;
  readonly current: InboxSearch["tab"];
}) {
  const tabs = [
    [undefined, "For you", yours],
    ["others", "For others", others],
    ["decided", "Decided", undefined],
  ] as const;
  return (
    <nav
      aria-label="Tabs of the inbox"
      className="flex h-9 flex-none gap-4.5 border-b border-line px-3 max-md:h-11"
    >
      {tabs.map(([tab, name, count]) => (
        <InboxLink
          key={name}
          search={({ q, risk }) => ({ q, risk, tab })}
          aria-current={tab === current ? "page" : undefined}
          className={`flex items-center font-medium ${tab === current ? "text-text shadow-[inset_0_-2px_0_var(--ink)]" : "text-muted hover:text-text"}`}
        >
          {name}
          {count !== undefined && count > 0 && ` ${count}`}
        </InboxLink>
      ))}
    </nav>
  );
}

function Filters({ search }: { readonly search: InboxSearch }) {
  const navigate = useNavigate({ from: "/inbox" });
  const set = (change: Partial<InboxSearch>) =>
    void navigate({ search: (old) => ({ ...old, ...change }), replace: true });
  return (
    <div className="ml-auto flex min-w-0 items-center gap-2">
      <input
        type="search"
        value={search.q ?? ""}
        onChange={({ target }) => set({ q: target.value || undefined })}
        placeholder="Filter"
        aria-label="Filter by fact, requester or capability"
        className="h-8 w-28 min-w-0 rounded-control border border-edge bg-surface px-2 text-sm max-md:h-11"
      />
      <select
        value={search.risk ?? ""}
        onChange={({ target }) => set({ risk: (target.value || undefined) as Risk | undefined })}
        aria-label="Risk"
        className="h-8 rounded-control border border-edge bg-surface px-1 text-sm max-md:h-11"
      >
        <option value="">Any risk</option>
        <option value="low">Low</option>
        <option value="medium">Medium</option>
        <option value="high">High</option>
        <option value="critical">Critical</option>
      </select>
    </div>
  );
}

function matches(item: InboxItem, { q, risk }: InboxSearch): boolean {
  if (risk !== undefined && item.risk !== risk) return false;
  if (q === undefined) return true;
  const words = `${item.headline} ${item.principal.id} ${item.capability}`.toLowerCase();
  return words.includes(q.toLowerCase());
}

function NothingHere({ search }: { readonly search: InboxSearch }) {
  if (search.q !== undefined || search.risk !== undefined)
    return (
      <Empty title="No request matches">
        <InboxLink search={({ tab }) => ({ tab })} className="link">
          Clear the filter
        </InboxLink>
      </Empty>
    );
  if (search.tab === "others")
    return <Empty title="Nothing waits for others">Requests that other people decide appear here.</Empty>;
  return (
    <div className="lg:hidden">
      <Empty title="Nothing waits for you">Calls that need your decision appear here by themselves.</Empty>
    </div>
  );
}
