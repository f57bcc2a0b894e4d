import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef } from "react";
import type { InboxItem } from "../api/types.ts";
import { Foreign } from "../lib/foreign.tsx";
import { formatDuration, useNow } from "../lib/time.ts";
import { RiskMark } from "../ui/risk.tsx";
import { formatNeed, formatReason, isForReader } from "./for-reader.ts";
import { InboxLink } from "./inbox-link.tsx";
import type { ShownItem } from "./shown-items.ts";

/** One open request: the fact and the time that is left, then risk, requester and approvals. */
export function InboxRow({ item, isSelected }: { readonly item: ShownItem; readonly isSelected: boolean }) {
  const { approval, headline, risk, principal, capability, bundle, isGone } = item;
  const meta = isGone ? "No longer open" : (formatReason(item) ?? formatNeed(item));
  const content = (
    <>
      <span className="flex min-w-0 font-semibold" title={headline}>
        <span className="min-w-0 truncate">
          <Foreign text={headline} />
        </span>
        {bundle !== undefined && <span className="flex-none">&nbsp;and {bundle - 1} more</span>}
      </span>
      <span className="text-right text-sm whitespace-nowrap">
        {isGone ? <span className="text-muted">Closed</span> : <TimeLeft item={item} />}
      </span>
      <span className="col-span-2 flex min-w-0 gap-2 text-[12.5px] whitespace-nowrap text-muted">
        {risk && <RiskMark risk={risk} />}
        <span className="min-w-0 truncate">
          <Foreign text={principal.id} /> · {bundle === undefined ? capability : `${bundle} alike`}
        </span>
        <span className="ml-auto">{meta}</span>
      </span>
    </>
  );
  const layout =
    "grid min-h-13 scroll-my-12 grid-cols-[1fr_auto] content-center gap-x-3 border-b border-line px-3 py-1.5 -outline-offset-2";
  if (bundle !== undefined)
    return (
      <Link
        to="/bundles"
        search={{ principal: principal.id, capability, tab: isForReader(item) ? undefined : "others" }}
        className={`${layout} hover:bg-sunken`}
      >
        {content}
      </Link>
    );
  return (
    <SelectableRow
      approval={approval}
      isSelected={isSelected}
      className={`${layout} ${isGone ? "opacity-60" : ""}`}
    >
      {content}
    </SelectableRow>
  );
}

/** A row that opens its approval beside the list. The selection is part of the address. */
export function SelectableRow({
  approval,
  isSelected,
  className,
  children,
}: {
  readonly approval: string;
  readonly isSelected: boolean;
  readonly className: string;
  readonly children: ReactNode;
}) {
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (isSelected) link.current?.scrollIntoView({ block: "nearest" });
  }, [isSelected]);
  return (
    <InboxLink
      ref={link}
      search={({ steps: _filterOfAnotherPlan, ...search }) => ({ ...search, sel: approval })}
      aria-current={isSelected ? "true" : undefined}
      className={`${className} ${isSelected ? "bg-ink-soft shadow-[inset_3px_0_0_var(--ink)]" : "hover:bg-sunken"}`}
    >
      {children}
    </InboxLink>
  );
}

function TimeLeft({ item }: { readonly item: InboxItem }) {
  const left = Date.parse(item.expiresAt) - useNow(item.expiresAt);
  if (left <= 0) return <span className="text-muted">Expired</span>;
  const isUrgent = left < 15 * 60_000 && (isForReader(item) || item.voter === "own-call");
  return (
    <span className={isUrgent ? "font-semibold text-critical" : "text-muted"}>
      {formatDuration(left)}
      {isUrgent && " left"}
    </span>
  );
}
