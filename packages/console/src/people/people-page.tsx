import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { AddAgentSheet } from "../acts/add-agent-sheet.tsx";
import { InviteSheet } from "../acts/invite-sheet.tsx";
import { peopleQuery } from "../api/people-queries.ts";
import { meQuery } from "../api/queries.ts";
import { useTitle } from "../shell/use-title.ts";
import { Empty, LoadError, Skeleton } from "../ui/states.tsx";
import { PeopleFilters } from "./people-filters.tsx";
import { PeopleTable } from "./people-table.tsx";

/** The people, agents and services of the tenant. The filters are in the address. */
export function PeoplePage() {
  const filter = useSearch({ from: "/people" });
  const navigate = useNavigate({ from: "/people" });
  const query = useInfiniteQuery(peopleQuery(filter));
  const { data: me } = useQuery(meQuery);
  const [opened, setOpened] = useState<"invite" | "add">();
  const principals = query.data?.pages.flatMap((page) => page.principals) ?? [];
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  useTitle("Agents and people");
  return (
    <div className="flex h-full flex-col">
      <PeopleFilters
        filter={filter}
        onChange={(search) => void navigate({ search, replace: true })}
        onInvite={() => setOpened("invite")}
        onAdd={() => setOpened("add")}
      />
      <div className="min-h-0 flex-1 overflow-y-auto" aria-busy={query.isPlaceholderData}>
        {query.isPending ? (
          <Skeleton />
        ) : query.isError && !query.data ? (
          <LoadError error={query.error} onRetry={() => void query.refetch()} />
        ) : principals.length === 0 ? (
          <Empty title={isFiltered ? "No match" : "No agents and people yet"}>
            {isFiltered ? "Remove a filter, or search for another id." : "Add an agent, or invite a person."}
          </Empty>
        ) : (
          <PeopleTable principals={principals} />
        )}
        {query.hasNextPage && (
          <button
            type="button"
            className="btn m-4"
            disabled={query.isFetchingNextPage}
            onClick={() => void query.fetchNextPage()}
          >
            Show more
          </button>
        )}
      </div>
      {opened === "invite" && me && <InviteSheet tenant={me.tenant} onClose={() => setOpened(undefined)} />}
      {opened === "add" && me && <AddAgentSheet me={me.id} onClose={() => setOpened(undefined)} />}
    </div>
  );
}
