import { Link } from "@tanstack/react-router";
import type { CallFilter } from "../api/queries.ts";
import type { CallSummary } from "../api/types.ts";
import { Foreign } from "../lib/foreign.tsx";
import { formatDuration, formatTime, useNow } from "../lib/time.ts";
import { TableHead } from "../ui/table-head.tsx";
import { OutcomeMark } from "./outcome-mark.tsx";

const rowLink = "data-call-row";

/** Moves the focus to the next or the previous call of the table. */
export function focusRow(step: 1 | -1): void {
  const links: Element[] = [...document.querySelectorAll(`[${rowLink}]`)];
  const current = document.activeElement ? links.indexOf(document.activeElement) : -1;
  const next = links[current < 0 ? 0 : current + step];
  if (next instanceof HTMLElement) next.focus();
}

/** Calls as a table: what, who, how it ended, how long it took and when. A phone shows these as lines of one cell. */
export function CallsTable({
  calls,
  onFilter,
}: {
  readonly calls: readonly CallSummary[];
  readonly onFilter: (change: Pick<CallFilter, "capability" | "principal">) => void;
}) {
  const now = useNow();
  return (
    <table className="w-full table-fixed text-left">
      <TableHead
        hiddenBelow="md"
        columns={[
          ["What", "pr-3 pl-6"],
          ["Who", "w-[20%] px-3"],
          ["Outcome", "w-52 px-3"],
          ["Took", "w-20 px-3 max-lg:hidden"],
          ["When", "w-28 pr-6 pl-3 text-right"],
        ]}
      />
      <tbody>
        {calls.map((call) => (
          <tr key={call.call} className="border-b border-line hover:bg-sunken">
            <td className="px-4 py-2 md:pr-3 md:pl-6">
              <Link
                to="/calls/$call"
                params={{ call: call.call }}
                {...{ [rowLink]: "" }}
                className="block truncate font-semibold max-md:whitespace-normal"
                title={call.headline}
              >
                <Foreign text={call.headline} />
              </Link>
              <span className="flex flex-wrap items-center gap-x-2 text-sm">
                <FilterButton
                  text={call.capability}
                  title="Show only this capability"
                  className="font-mono text-xs"
                  onClick={() => onFilter({ capability: call.capability })}
                />
                <span className="contents md:hidden">
                  <OutcomeMark {...call} />
                  <span className="text-muted">
                    <Foreign text={call.principal} />, {formatTime(call.createdAt, now)}
                  </span>
                </span>
              </span>
            </td>
            <td className="px-3 py-2 max-md:hidden">
              <FilterButton
                text={call.principal}
                title="Show only this requester"
                className=""
                onClick={() => onFilter({ principal: call.principal })}
              />
            </td>
            <td className="px-3 py-2 text-sm max-md:hidden">
              <OutcomeMark {...call} />
            </td>
            <td className="px-3 py-2 text-sm text-muted max-lg:hidden">
              {call.closedAt && formatDuration(Date.parse(call.closedAt) - Date.parse(call.createdAt))}
            </td>
            <td className="py-2 pr-6 pl-3 text-right text-sm whitespace-nowrap text-muted max-md:hidden">
              <time dateTime={call.createdAt} title={call.createdAt}>
                {formatTime(call.createdAt, now)}
              </time>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function FilterButton({
  text,
  title,
  className,
  onClick,
}: {
  readonly text: string;
  readonly title: string;
  readonly className: string;
  readonly onClick: () => void;
}) {
  return (
    <button
      type="button"
      onClick={onClick}
      title={title}
      className={`max-w-full truncate text-left text-muted hover:underline max-md:min-h-6 ${className}`}
    >
      <Foreign text={text} />
    </button>
  );
}
