import { QueryClient } from "@tanstack/react-query";
import { ProblemError } from "./client.ts";

/** Creates the cache of loaded data. The event stream marks entries as outdated; a slow refresh covers lost events. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        refetchInterval: 60_000,
        networkMode: "always",
        retry: (failures, error) => !(error instanceof ProblemError) && failures < 2,
        retryDelay: 1_000,
      },
      // A decision is never sent twice without the person's knowledge.
      mutations: { retry: false, networkMode: "always" },
    },
  });
}
