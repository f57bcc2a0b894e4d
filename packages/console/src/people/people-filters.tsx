import { Bot, UserPlus } from "lucide-react";
import type { PrincipalFilter } from "../api/people-queries.ts";
import { FilterChip, FilterValue } from "../ui/filter-chip.tsx";
import { SearchBox } from "../ui/search-box.tsx";

const kinds = [
  [undefined, "All"],
  ["agent", "Agents"],
  ["person", "People"],
  ["service", "Services"],
] as const;
const states = [
  ["active", "Active"],
  ["invited", "Invited"],
  ["frozen", "Frozen"],
  ["disabled", "Disabled"],
] as const;

/** The heading of the list of principals: search, filters, and the acts that add a principal. */
export function PeopleFilters({
  filter,
  onChange,
  onInvite,
  onAdd,
}: {
  readonly filter: PrincipalFilter;
  readonly onChange: (filter: PrincipalFilter) => void;
  readonly onInvite: () => void;
  readonly onAdd: () => void;
}) {
  const { q, kind, state, owner } = filter;
  return (
    <div className="grid flex-none grid-cols-1 gap-2 border-b border-line px-4 py-2.5 md:px-6">
      <div className="flex flex-wrap items-center gap-2">
        <h1 className="mr-2 text-lg font-semibold">Agents and people</h1>
        <SearchBox
          text={q}
          hint="Search ids"
          label="Search for a part of an id"
          onSearch={(text) => onChange({ ...filter, q: text })}
        />
        <span className="ml-auto flex gap-2">
          <button type="button" className="btn min-h-8 px-2.5 text-sm max-md:min-h-11" onClick={onAdd}>
            <Bot size={15} aria-hidden="true" />
            Add agent…
          </button>
          <button type="button" className="btn min-h-8 px-2.5 text-sm max-md:min-h-11" onClick={onInvite}>
            <UserPlus size={15} aria-hidden="true" />
            Invite…
          </button>
        </span>
      </div>
      <div className="relative -mx-4 flex items-center gap-2 overflow-x-auto px-4 py-0.5 md:-mx-6 md:px-6">
        {kinds.map(([value, name]) => (
          <FilterChip
            key={name}
            name={name}
            isCurrent={kind === value}
            onPress={() => onChange({ ...filter, kind: value })}
          />
        ))}
        <span aria-hidden="true" className="h-5 flex-none border-l border-line" />
        {states.map(([value, name]) => (
          <FilterChip
            key={name}
            name={name}
            isCurrent={state === value}
            onPress={() => onChange({ ...filter, state: state === value ? undefined : value })}
          />
        ))}
        {owner !== undefined && (
          <FilterValue
            name="Owner"
            value={owner}
            onRemove={() => onChange({ ...filter, owner: undefined })}
          />
        )}
      </div>
    </div>
  );
}
