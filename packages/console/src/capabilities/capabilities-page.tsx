import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Search } from "lucide-react";
import type { ReactNode } from "react";
import { capabilitiesQuery, weekQuery } from "../api/capability-queries.ts";
import { adaptersQuery } from "../api/overview-queries.ts";
import type { Adapter, CapabilitySummary } from "../api/types.ts";
import { Foreign, Sentence } from "../lib/foreign.tsx";
import { matchesWords } from "../palette/words.ts";
import { useTitle } from "../shell/use-title.ts";
import { FilterChip } from "../ui/filter-chip.tsx";
import { Empty, LoadError, Skeleton } from "../ui/states.tsx";
import { AdapterState } from "./adapter-state.tsx";
import { builtinNames, sortBuiltinLast } from "./builtin.ts";
import { CapabilityRows } from "./capability-rows.tsx";

/** The filters of the list, as they are in the address. */
export interface CapabilitiesSearch {
  readonly q?: string | undefined;
  readonly effect?: CapabilitySummary["effect"] | undefined;
}

const effects = [
  [undefined, "All"],
  ["read", "Read"],
  ["write", "Write"],
  ["destroy", "Destructive"],
] as const;

/** All capabilities by adapter: what each does, what policy rules for the reader, and how it works. */
export function CapabilitiesPage() {
  const { q = "", effect } = useSearch({ from: "/capabilities" });
  const navigate = useNavigate({ from: "/capabilities" });
  const { data, isPending, error, refetch } = useQuery(capabilitiesQuery);
  const { data: adapters } = useQuery(adaptersQuery);
  const { data: week } = useQuery(weekQuery);
  useTitle("Capabilities");
  const statistics = new Map((week?.statistics ?? []).map((one) => [one.capability ?? "", one]));
  const shown = (data ?? []).filter(
    (one) =>
      (effect === undefined || one.effect === effect) && matchesWords(q.trim(), `${one.name} ${one.summary}`),
  );
  const isFiltered = q !== "" || effect !== undefined;
  const change = (search: CapabilitiesSearch) =>
    void navigate({ search: (old) => ({ ...old, ...search }), replace: true });
  return (
    <div className="flex h-full flex-col">
      <div className="flex flex-none flex-wrap items-center gap-2 border-b border-line px-4 py-2.5 md:px-6">
        <h1 className="mr-2 text-lg font-semibold">Capabilities</h1>
        <span className="relative min-w-0 flex-1 basis-52 md:max-w-90">
          <Search
            size={15}
            aria-hidden="true"
            className="absolute top-1/2 left-2.5 -translate-y-1/2 text-muted"
          />
          <input
            type="search"
            value={q}
            onChange={({ target }) => change({ q: target.value || undefined })}
            placeholder="Search names"
            aria-label="Search for a part of a name"
            className="h-8 w-full rounded-control border border-edge bg-surface pr-2 pl-8 text-sm max-md:h-11"
          />
        </span>
        <div className="flex flex-wrap gap-2">
          {effects.map(([value, name]) => (
            <FilterChip
              key={name}
              name={name}
              isCurrent={value === effect}
              onPress={() => change({ effect: value })}
            />
          ))}
        </div>
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto bg-canvas">
        {isPending ? (
          <Skeleton />
        ) : !data ? (
          <LoadError error={error} onRetry={() => void refetch()} />
        ) : shown.length === 0 ? (
          <Empty title={isFiltered ? "No capability matches" : "No capabilities yet"}>
            {isFiltered
              ? "Remove a filter, or search for another name."
              : "Add adapters to the configuration."}
          </Empty>
        ) : (
          <div className="grid grid-cols-[minmax(0,1fr)] gap-5 p-4 md:p-6">
            {groupByAdapter(shown, isFiltered ? [] : (adapters?.adapters ?? [])).map(
              ([name, capabilities]) => (
                <AdapterSection
                  key={name}
                  name={name}
                  adapter={adapters?.adapters.find((one) => one.name === name)}
                >
                  <CapabilityRows
                    label={`Capabilities of ${name}`}
                    capabilities={capabilities}
                    statistics={statistics}
                  />
                </AdapterSection>
              ),
            )}
          </div>
        )}
      </div>
    </div>
  );
}

function AdapterSection({
  name,
  adapter,
  children,
}: {
  readonly name: string;
  readonly adapter: Adapter | undefined;
  readonly children: ReactNode;
}) {
  return (
    <section aria-labelledby={`adapter-${name}`} className="card min-w-0 overflow-hidden">
      <div className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-3.5 py-2">
        <h2 id={`adapter-${name}`} className="font-semibold">
          <Link to="/adapters/$name" params={{ name }} className="hover:underline">
            <Foreign text={name} />
          </Link>
        </h2>
        <span className="text-sm text-muted">{adapter?.kind ?? builtinNames[name]}</span>
        {adapter && (
          <span className="ml-auto">
            <AdapterState state={adapter.state} />
          </span>
        )}
        {adapter?.message !== undefined && adapter.state !== "ready" && (
          <p className="w-full text-sm text-muted">
            <Sentence text={adapter.message} />
          </p>
        )}
      </div>
      {children}
    </section>
  );
}

/** Groups capabilities by the first part of their name. Adapters without capabilities are listed too. */
function groupByAdapter(
  capabilities: readonly CapabilitySummary[],
  adapters: readonly Adapter[],
): readonly (readonly [string, readonly CapabilitySummary[]])[] {
  const groups = Map.groupBy(capabilities, ({ name }) => name.split(".", 1)[0] ?? "");
  for (const { name } of adapters) if (!groups.has(name)) groups.set(name, []);
  return sortBuiltinLast([...groups], ([name]) => name);
}
