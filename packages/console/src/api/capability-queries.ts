import { queryOptions } from "@tanstack/react-query";
import { get } from "./client.ts";
import type { CallError, CapabilitySummary, Contract, PendingDefinition, Statistics } from "./types.ts";

const dayMs = 24 * 3_600_000;
/** The number of days that the charts of a capability show, today included. */
export const shownDays = 28;

interface StatisticsPage {
  readonly statistics: Statistics[];
  readonly errors: CallError[];
}

/** The capabilities that the reader may request, with how policy rules for the reader. All pages. */
export const capabilitiesQuery = queryOptions({
  queryKey: ["capabilities", "ruled"],
  queryFn: async ({ signal }) => {
    const found: CapabilitySummary[] = [];
    let after: string | undefined;
    do {
      const query = new URLSearchParams({
        limit: "100",
        ruling: "true",
        ...(after !== undefined && { after }),
      });
      const page = await get<{ capabilities: CapabilitySummary[]; next?: string }>(
        `/v1/capabilities?${query}`,
        signal,
      );
      found.push(...page.capabilities);
      after = page.next;
    } while (after !== undefined);
    return found;
  },
});

/** The contract of a capability, with how policy rules for the reader. */
export const ruledContractQuery = (name: string) =>
  queryOptions({
    queryKey: ["contract", name, "ruled"],
    queryFn: ({ signal }) =>
      get<Contract>(`/v1/capabilities/${encodeURIComponent(name)}?ruling=true`, signal),
  });

/** The outcomes of the last seven days, for the capabilities with the most calls. */
export const weekQuery = queryOptions({
  queryKey: ["overview", "capabilities"],
  queryFn: ({ signal }) => get<StatisticsPage>("/v1/statistics?by=capability&limit=100", signal),
});

/** The outcomes of one capability on each of the last days. Days without calls are missing. */
export const daysQuery = (capability: string) =>
  queryOptions({
    queryKey: ["overview", "days", capability],
    queryFn: async ({ signal }) => {
      const start = Math.floor(Date.now() / dayMs) * dayMs - (shownDays - 1) * dayMs;
      const since = new Date(start).toISOString();
      const query = new URLSearchParams({ capability, by: "day", limit: "100", since });
      return { start, ...(await get<StatisticsPage>(`/v1/statistics?${query}`, signal)) };
    },
  });

/** The definitions of an MCP server that wait for approval. */
export const pendingDefinitionsQuery = (adapter: string) =>
  queryOptions({
    queryKey: ["adapters", adapter, "definitions"],
    queryFn: ({ signal }) =>
      get<{ definitions: PendingDefinition[]; approvable: boolean }>(
        `/v1/adapters/${encodeURIComponent(adapter)}/definitions`,
        signal,
      ),
  });
