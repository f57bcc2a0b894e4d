import { infiniteQueryOptions, keepPreviousData } from "@tanstack/react-query";
import { get } from "./client.ts";
import type { Activity } from "./types.ts";

/** The kinds of entries that the log can be narrowed to. */
export const activityKinds = [
  "ask",
  "approve",
  "deny",
  "apply",
  "undo",
  "end",
  "reveal",
  "resolve",
] as const satisfies readonly Activity["kind"][];

/** The filters of the activity log, as they are in the address. */
export interface ActivityFilter {
  /** The requester, or the principal that acted. */
  readonly principal?: string | undefined;
  readonly kind?: (typeof activityKinds)[number] | undefined;
  readonly capability?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/** Returns the address of the activity log in the API. */
export function toActivityPath(filter: ActivityFilter, more: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(more);
  for (const [name, value] of Object.entries(filter)) if (value !== undefined) query.set(name, value);
  return `/v1/activity?${query}`;
}

// The key begins with `calls`, so that the event stream refreshes the log.
export const activityQuery = (filter: ActivityFilter) =>
  infiniteQueryOptions({
    queryKey: ["calls", "activity", filter],
    queryFn: ({ pageParam, signal }) =>
      get<{ activity: Activity[]; next?: string }>(
        toActivityPath(filter, { limit: "50", ...(pageParam && { before: pageParam }) }),
        signal,
      ),
    initialPageParam: "",
    getNextPageParam: ({ next }: { next?: string }) => next,
    placeholderData: keepPreviousData,
  });
