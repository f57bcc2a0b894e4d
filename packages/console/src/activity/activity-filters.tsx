import { Download } from "lucide-react";
import { type ActivityFilter, toActivityPath } from "../api/activity-queries.ts";
import { FilterChip, FilterValue } from "../ui/filter-chip.tsx";
import { SearchBox } from "../ui/search-box.tsx";

const kinds = [
  [undefined, "All"],
  ["ask", "Asked"],
  ["approve", "Approved"],
  ["deny", "Denied"],
  ["apply", "Performed"],
  ["undo", "Undone"],
  ["end", "Ended without effect"],
  ["reveal", "Revealed"],
  ["resolve", "Resolved"],
] as const satisfies readonly (readonly [ActivityFilter["kind"], string])[];

const exports = [
  ["csv", "CSV", "activity.csv"],
  ["jsonl", "JSON lines", "activity.jsonl"],
  ["ocsf", "OCSF", "activity.ocsf.jsonl"],
] as const;

const dayMs = 24 * 3_600_000;
const toDay = (iso: string | undefined, shiftMs = 0) =>
  iso === undefined ? "" : new Date(Date.parse(iso) - shiftMs).toISOString().slice(0, 10);
const toStart = (day: string, shiftMs = 0) =>
  day === "" ? undefined : new Date(Date.parse(`${day}T00:00:00Z`) + shiftMs).toISOString();

/** The heading of the activity log: whose, which days and kinds, and the exports of everything that matches. */
export function ActivityFilters({
  filter,
  onChange,
}: {
  readonly filter: ActivityFilter;
  readonly onChange: (filter: ActivityFilter) => void;
}) {
  const { principal, kind, capability, since, until } = filter;
  return (
    <div className="grid flex-none grid-cols-1 gap-2 border-b border-line px-4 py-2.5 md:px-6">
      <div className="flex flex-wrap items-center gap-2">
        <h1 className="mr-2 text-lg font-semibold">Activity</h1>
        <SearchBox
          text={principal}
          hint="Whole id of an agent or a person"
          label="Show what this agent or person requested or did"
          onSearch={(text) => onChange({ ...filter, principal: text })}
        />
        <DayField
          name="From"
          day={toDay(since)}
          onChange={(day) => onChange({ ...filter, since: toStart(day) })}
        />
        <DayField
          name="To"
          // The last day is shown, and the API takes the end of it.
          day={toDay(until, dayMs)}
          onChange={(day) => onChange({ ...filter, until: toStart(day, dayMs) })}
        />
        <span className="ml-auto flex flex-wrap gap-2">
          {exports.map(([format, name, file]) => (
            <a
              key={format}
              href={toActivityPath(filter, { format })}
              download={file}
              className="btn min-h-8 px-2.5 text-sm max-md:min-h-11"
            >
              <Download size={15} aria-hidden="true" />
              {name}
              <span className="sr-only"> of everything that matches</span>
            </a>
          ))}
        </span>
      </div>
      <div className="relative -mx-4 flex gap-2 overflow-x-auto px-4 py-0.5 md:-mx-6 md:px-6">
        {kinds.map(([value, name]) => (
          <FilterChip
            key={name}
            name={name}
            isCurrent={kind === value}
            onPress={() => onChange({ ...filter, kind: value })}
          />
        ))}
        {capability !== undefined && (
          <FilterValue
            name="Capability"
            value={capability}
            onRemove={() => onChange({ ...filter, capability: undefined })}
          />
        )}
      </div>
    </div>
  );
}

function DayField({
  name,
  day,
  onChange,
}: {
  readonly name: string;
  readonly day: string;
  readonly onChange: (day: string) => void;
}) {
  return (
    <label className="flex items-center gap-1.5 text-sm text-muted">
      {name}
      <input
        type="date"
        value={day}
        onChange={({ target }) => onChange(target.value)}
        className="h-8 rounded-control border border-edge bg-surface px-1.5 text-text max-md:h-11"
      />
    </label>
  );
}
