import { queryOptions } from "@tanstack/react-query";
import { get } from "./client.ts";
import type { Adapter, CallSummary, Freeze, Statistics } from "./types.ts";

const hourMs = 3_600_000;

/** The outcomes in each of the last 24 hours, the current hour included. Hours without calls are missing. */
export const hoursQuery = queryOptions({
  queryKey: ["overview", "hours"],
  queryFn: async ({ signal }) => {
    const start = Math.floor(Date.now() / hourMs) * hourMs - 23 * hourMs;
    const since = new Date(start).toISOString();
    const query = new URLSearchParams({ by: "hour", limit: "24", since });
    const { statistics } = await get<{ statistics: Statistics[] }>(`/v1/statistics?${query}`, signal);
    return { start, statistics };
  },
});

interface CallList {
  readonly calls: CallSummary[];
  readonly next?: string;
}

const recentQuery = (filter: Readonly<Record<string, string>>) => {
  const query = new URLSearchParams({ steps: "false", ...filter }).toString();
  return queryOptions({
    queryKey: ["overview", "calls", query],
    queryFn: ({ signal }) => get<CallList>(`/v1/calls?${query}`, signal),
  });
};

export const newestCallsQuery = recentQuery({ limit: "10" });
export const finishedCallsQuery = recentQuery({ order: "closed", limit: "5" });
export const refusedCallsQuery = recentQuery({ outcome: "refused", limit: "4" });
export const deniedCallsQuery = recentQuery({ outcome: "denied", limit: "4" });
export const expiredCallsQuery = recentQuery({ outcome: "expired", limit: "4" });
export const stuckCallsQuery = recentQuery({ stuck: "true", limit: "4" });
/** The calls with an unknown outcome and no resolution. Their steps count too, because a plan does not stand for them. */
export const unknownCallsQuery = recentQuery({
  outcome: "unknown",
  resolved: "false",
  steps: "true",
  limit: "50",
});

export const freezesQuery = queryOptions({
  queryKey: ["freezes"],
  queryFn: ({ signal }) => get<{ freezes: Freeze[] }>("/v1/freezes", signal),
});

export const adaptersQuery = queryOptions({
  queryKey: ["adapters"],
  queryFn: ({ signal }) => get<{ adapters: Adapter[] }>("/v1/adapters", signal),
});
