import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { get, post } from "./client.ts";
import { toCallsPath } from "./queries.ts";
import type {
  ApiKey,
  Call,
  CallSummary,
  Delegation,
  Freeze,
  Grant,
  Group,
  PreviewResult,
  PrincipalDetails,
  PrincipalSummary,
  Statistics,
} from "./types.ts";

/** The filters of the list of principals, as they are in the address. */
export interface PrincipalFilter {
  readonly q?: string | undefined;
  readonly kind?: PrincipalSummary["kind"] | undefined;
  readonly state?: PrincipalSummary["state"] | undefined;
  readonly owner?: string | undefined;
}

// All keys begin with `people`, so that the event stream refreshes them together.
export const peopleQuery = (filter: PrincipalFilter) =>
  infiniteQueryOptions({
    queryKey: ["people", "list", filter],
    queryFn: ({ pageParam, signal }) => {
      const query = new URLSearchParams({ limit: "50", ...(pageParam && { after: pageParam }) });
      for (const [name, value] of Object.entries(filter)) if (value !== undefined) query.set(name, value);
      return get<{ principals: PrincipalSummary[]; next?: string }>(`/v1/principals?${query}`, signal);
    },
    initialPageParam: "",
    getNextPageParam: ({ next }: { next?: string }) => next,
    placeholderData: keepPreviousData,
  });

export const principalQuery = (id: string) =>
  queryOptions({
    queryKey: ["people", "one", id],
    queryFn: ({ signal }) => get<PrincipalDetails>(`/v1/principals/${encodeURIComponent(id)}`, signal),
  });

/** The freezes of a principal, as they are now. A list on the screen may be older than the last act. */
export const principalFreezesQuery = (id: string) =>
  queryOptions({
    queryKey: ["people", "freezes", id],
    queryFn: async ({ signal }) => {
      const { freezes } = await get<{ freezes: Freeze[] }>("/v1/freezes", signal);
      return freezes.filter(({ kind, subject }) => kind === "principal" && subject === id);
    },
    gcTime: 0,
  });

export const apiKeysQuery = (principal: string) =>
  queryOptions({
    queryKey: ["people", "keys", principal],
    queryFn: ({ signal }) =>
      get<{ keys: ApiKey[]; next?: string }>(
        `/v1/api-keys?${new URLSearchParams({ principal, limit: "100" })}`,
        signal,
      ),
  });

export const groupsQuery = queryOptions({
  queryKey: ["people", "groups"],
  queryFn: ({ signal }) => get<{ groups: Group[] }>("/v1/groups?limit=100", signal),
});

export const grantsQuery = queryOptions({
  queryKey: ["people", "grants"],
  queryFn: ({ signal }) => get<{ grants: Grant[] }>("/v1/grants", signal),
});

export const delegationsQuery = queryOptions({
  queryKey: ["people", "delegations"],
  queryFn: ({ signal }) => get<{ delegations: Delegation[] }>("/v1/delegations", signal),
});

const slowMs = 5 * 60_000;
const dayMs = 24 * 3_600_000;
/** The number of groups that the statistics return at most. */
export const maxStatistics = 100;

const statisticsQuery = (filter: Readonly<Record<string, string>>, days = 30) =>
  queryOptions({
    queryKey: ["statistics", filter, days],
    queryFn: ({ signal }) => {
      // The start is the start of an hour, because a period of more than 30 days is cut.
      const since = new Date(Date.now() - days * dayMs).toISOString();
      const query = new URLSearchParams({ ...filter, since, limit: String(maxStatistics) });
      return get<{ statistics: Statistics[] }>(`/v1/statistics?${query}`, signal);
    },
    // Each answer reads all calls of the period.
    staleTime: slowMs,
    refetchInterval: slowMs,
  });

/** The outcomes of the last 30 days by principal, the busiest first. */
export const statisticsByPrincipalQuery = statisticsQuery({ by: "principal" });

/** Fetches the number of calls by outcome for each requester or capability in this number of days, the busiest first. */
export const usageQuery = (by: "principal" | "capability", days: number) => statisticsQuery({ by }, days);

/** The outcomes of one principal in the last 30 days, by capability. */
export const ownStatisticsQuery = (principal: string) => statisticsQuery({ by: "capability", principal });

/** Lists the open calls of an administrative capability, each with its requester and one field of its input. */
async function listOpenRequests(capability: string, field: string, signal: AbortSignal) {
  const list = `/v1/calls?capability=${capability}&state=open&limit=20`;
  const { calls } = await get<{ calls: CallSummary[] }>(list, signal);
  return Promise.all(
    calls.map(async ({ call }) => {
      const { input, principal } = await get<Call>(`/v1/calls/${call}`, signal);
      return {
        call,
        requester: principal.id,
        subject: (input as Record<string, unknown> | undefined)?.[field],
      };
    }),
  );
}

/** The thaws that wait for approval or run, with the freezes that they lift. */
export const openThawsQuery = queryOptions({
  queryKey: ["calls", "open thaws"],
  queryFn: ({ signal }) => listOpenRequests("admin.thaw", "freeze", signal),
});

/** The requests for API keys that wait for approval or run, with the principals of the keys. */
export const openKeysQuery = queryOptions({
  queryKey: ["calls", "open keys"],
  queryFn: ({ signal }) => listOpenRequests("admin.key_create", "principal", signal),
});

const maxShownHeld = 4;

/** The newest calls that a freeze holds. */
export const heldCallsQuery = (freeze: string) =>
  queryOptions({
    queryKey: ["calls", "held", freeze],
    queryFn: ({ signal }) =>
      get<{ calls: CallSummary[]; next?: string }>(
        toCallsPath({ heldBy: freeze }, { limit: String(maxShownHeld) }),
        signal,
      ),
  });

const previewRefreshMs = 10_000;

/** Asks what a call would change now and how policy would rule. It requests nothing. */
export const previewQuery = (capability: string, input: object | undefined) =>
  queryOptions({
    queryKey: ["preview", capability, input],
    queryFn: () => post<PreviewResult>("/v1/previews", { capability, input }),
    enabled: input !== undefined,
    staleTime: 0,
    gcTime: 0,
    refetchInterval: previewRefreshMs,
  });
