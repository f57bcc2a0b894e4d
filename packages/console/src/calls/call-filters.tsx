import { Download } from "lucide-react";
import { type CallFilter, toCallsPath } from "../api/queries.ts";
import { formatTime } from "../lib/time.ts";
import { FilterChip, FilterValue } from "../ui/filter-chip.tsx";
import { SearchBox } from "../ui/search-box.tsx";

const views = [
  ["All", {}],
  ["Open", { state: "open" }],
  ["Succeeded", { outcome: "succeeded" }],
  ["Refused", { outcome: "refused" }],
  ["Denied", { outcome: "denied" }],
  ["Expired", { outcome: "expired" }],
  ["Failed", { outcome: "failed" }],
  ["Unknown", { outcome: "unknown" }],
] as const satisfies readonly (readonly [string, CallFilter])[];

const hourMs = 3_600_000;
const periods = [
  ["Last hour", hourMs],
  ["Last 24 hours", 24 * hourMs],
  ["Last 7 days", 7 * 24 * hourMs],
  ["Last 30 days", 30 * 24 * hourMs],
] as const;

type Change = (filter: CallFilter) => void;

/** The heading of the list of calls: search, views, and a chip for each further filter. */
export function CallFilters({
  filter,
  onChange,
}: {
  readonly filter: CallFilter;
  readonly onChange: Change;
}) {
  const { q, capability, principal, session, heldBy, since, until } = filter;
  const isCurrent = ({ state, outcome }: CallFilter) => filter.state === state && filter.outcome === outcome;
  const chips = [
    [{ capability: undefined }, "Capability", capability],
    [{ principal: undefined }, "Requester", principal],
    [{ session: undefined }, "Session", session],
    [{ heldBy: undefined }, "Held by", heldBy && "a freeze"],
    [{ since: undefined }, "From", since && formatTime(since)],
    [{ until: undefined }, "Until", until && formatTime(until)],
  ] as const;
  return (
    <div className="grid flex-none grid-cols-1 gap-2 border-b border-line px-4 py-2.5 md:px-6">
      <div className="flex flex-wrap items-center gap-2">
        <h1 className="mr-2 text-lg font-semibold">Calls</h1>
        <SearchBox
          text={q}
          hint="Search facts, people and ids"
          label="Search for a part of a fact, a requester, an id, a key or a capability"
          onSearch={(text) => onChange({ ...filter, q: text })}
        />
        <select
          value=""
          onChange={({ target }) =>
            onChange({ ...filter, since: new Date(Date.now() - Number(target.value)).toISOString() })
          }
          aria-label="Period"
          className="h-8 rounded-control border border-edge bg-surface px-1 text-sm max-md:h-11"
        >
          <option value="">Period</option>
          {periods.map(([name, ms]) => (
            <option key={name} value={ms}>
              {name}
            </option>
          ))}
        </select>
        <a
          href={toCallsPath(filter, { format: "csv" })}
          download="calls.csv"
          className="btn ml-auto min-h-8 px-2.5 text-sm"
        >
          <Download size={15} aria-hidden="true" />
          CSV<span className="sr-only"> of all calls that match</span>
        </a>
      </div>
      <div className="relative -mx-4 flex gap-2 overflow-x-auto px-4 py-0.5 md:-mx-6 md:px-6">
        {views.map(([name, view]) => (
          <FilterChip
            key={name}
            name={name}
            isCurrent={isCurrent(view)}
            onPress={() => onChange({ ...filter, state: undefined, outcome: undefined, ...view })}
          />
        ))}
        {chips.map(
          ([removed, name, value]) =>
            value && (
              <FilterValue
                key={name}
                name={name}
                value={value}
                onRemove={() => onChange({ ...filter, ...removed })}
              />
            ),
        )}
      </div>
    </div>
  );
}
