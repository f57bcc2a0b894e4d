import type { PublicKey } from "@paraph/core/verify-receipt";
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { get } from "./client.ts";
import type {
  Approval,
  ApprovalSummary,
  Approvers,
  Call,
  CallEvent,
  CallSummary,
  CapabilitySummary,
  Contract,
  Inbox,
  Me,
  Message,
  Notice,
  Plan,
  PolicySet,
  PrincipalSummary,
} from "./types.ts";

export const meQuery = queryOptions({
  queryKey: ["me"],
  queryFn: ({ signal }) => get<Me>("/v1/me", signal),
  staleTime: Number.POSITIVE_INFINITY,
});

export const inboxQuery = infiniteQueryOptions({
  queryKey: ["inbox"],
  queryFn: ({ pageParam, signal }) =>
    get<Inbox>(`/v1/inbox?limit=100${pageParam && `&after=${pageParam}`}`, signal),
  initialPageParam: "",
  getNextPageParam: ({ next }: Inbox) => next,
});

export type DecidedStatus = "approved" | "denied" | "expired";

export const decidedQuery = (status: DecidedStatus) =>
  infiniteQueryOptions({
    queryKey: ["decided", status],
    queryFn: ({ pageParam, signal }) =>
      get<{ approvals: ApprovalSummary[]; next?: string }>(
        `/v1/approvals?status=${status}&limit=50${pageParam && `&before=${pageParam}`}`,
        signal,
      ),
    initialPageParam: "",
    getNextPageParam: ({ next }: { next?: string }) => next,
  });

/** The open approvals of one requester and capability, newest first. */
export const bundleQuery = (principal: string, capability: string, limit: number) =>
  queryOptions({
    queryKey: ["inbox", "bundle", principal, capability],
    queryFn: ({ signal }) => {
      const query = new URLSearchParams({ principal, capability, limit: String(limit) });
      return get<{ approvals: ApprovalSummary[] }>(`/v1/approvals?${query}`, signal);
    },
  });

export const approvalQuery = (approval: string) =>
  queryOptions({
    queryKey: ["approval", approval],
    queryFn: ({ signal }) => get<Approval>(`/v1/approvals/${encodeURIComponent(approval)}`, signal),
  });

export const messagesQuery = (call: string) =>
  queryOptions({
    queryKey: ["call", call, "messages"],
    queryFn: ({ signal }) => get<{ messages: Message[] }>(`/v1/calls/${call}/messages?limit=100`, signal),
  });

export const callQuery = (call: string) =>
  queryOptions({
    queryKey: ["call", call],
    queryFn: ({ signal }) => get<Call>(`/v1/calls/${encodeURIComponent(call)}`, signal),
  });

export const planQuery = (call: string) =>
  queryOptions({
    queryKey: ["call", call, "plan"],
    queryFn: ({ signal }) => get<Plan>(`/v1/plans/${encodeURIComponent(call)}`, signal),
  });

export const callEventsQuery = (call: string) =>
  queryOptions({
    queryKey: ["call", call, "events"],
    queryFn: ({ signal }) =>
      get<{ events: CallEvent[] }>(`/v1/calls/${encodeURIComponent(call)}/events`, signal),
  });

/** The people who can approve a waiting call. An event of the call may change this. */
export const approversQuery = (call: string, approval: string) =>
  queryOptions({
    queryKey: ["call", call, "approvers", approval],
    queryFn: ({ signal }) => get<Approvers>(`/v1/approvals/${approval}/approvers`, signal),
  });

const noticesRefreshMs = 15_000;

/** The notices about a call. No event says that a notice was sent, so those of a waiting call are polled. */
export const noticesQuery = (call: string, isWaiting: boolean) =>
  queryOptions({
    queryKey: ["call", call, "notices"],
    queryFn: ({ signal }) => get<{ notices: Notice[] }>(`/v1/calls/${call}/notices`, signal),
    ...(isWaiting && { refetchInterval: noticesRefreshMs }),
  });

export const contractQuery = (capability: string) =>
  queryOptions({
    queryKey: ["contract", capability],
    queryFn: ({ signal }) => get<Contract>(`/v1/capabilities/${encodeURIComponent(capability)}`, signal),
  });

/** The filters of the list of calls, as they are in the address. */
export interface CallFilter {
  readonly q?: string | undefined;
  readonly state?: "open" | "closed" | undefined;
  readonly outcome?: string | undefined;
  readonly capability?: string | undefined;
  readonly principal?: string | undefined;
  readonly session?: string | undefined;
  /** The id of a freeze. Only open calls that it holds are listed. */
  readonly heldBy?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/** Returns the address of a list of calls in the API. The calls of a session or a freeze are listed with their steps. */
export function toCallsPath(filter: CallFilter, more: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(more);
  if (filter.session === undefined && filter.heldBy === undefined) query.set("steps", "false");
  for (const [name, value] of Object.entries(filter)) if (value !== undefined) query.set(name, value);
  return `/v1/calls?${query}`;
}

export const callsQuery = (filter: CallFilter) =>
  infiniteQueryOptions({
    queryKey: ["calls", filter],
    queryFn: ({ pageParam, signal }) =>
      get<{ calls: CallSummary[]; next?: string }>(
        toCallsPath(filter, { limit: "50", ...(pageParam && { before: pageParam }) }),
        signal,
      ),
    initialPageParam: "",
    getNextPageParam: ({ next }: { next?: string }) => next,
    placeholderData: keepPreviousData,
  });

export const policyQuery = queryOptions({
  queryKey: ["policy"],
  queryFn: ({ signal }) => get<PolicySet>("/v1/policy", signal),
});

/** The publications of policies that wait for approval or run. */
export const openPublicationsQuery = queryOptions({
  queryKey: ["calls", "open publications"],
  queryFn: ({ signal }) =>
    get<{ calls: CallSummary[] }>("/v1/calls?capability=admin.policy_publish&state=open&limit=20", signal),
});

/** The newest publication of policies that took effect. */
export const lastPublicationQuery = queryOptions({
  queryKey: ["calls", "last publication"],
  queryFn: ({ signal }) =>
    get<{ calls: CallSummary[] }>(
      "/v1/calls?capability=admin.policy_publish&outcome=succeeded&limit=1",
      signal,
    ),
});

export const principalsQuery = queryOptions({
  queryKey: ["principals"],
  queryFn: ({ signal }) => get<{ principals: PrincipalSummary[] }>("/v1/principals?limit=100", signal),
});

/** The capabilities that the reader may request, all pages. */
export const capabilityNamesQuery = queryOptions({
  queryKey: ["capabilities"],
  queryFn: async ({ signal }) => {
    const found: CapabilitySummary[] = [];
    let after: string | undefined;
    do {
      const query = new URLSearchParams({ limit: "100", ...(after !== undefined && { after }) });
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

/** The public keys of the server. They are data to verify with, not a statement that something is verified. */
export const keysQuery = queryOptions({
  queryKey: ["keys"],
  queryFn: ({ signal }) => get<{ keys: PublicKey[] }>("/v1/keys", signal),
});

/** The calls that a text finds by id, key, fact or capability, for the palette. */
export const foundCallsQuery = (q: string) =>
  queryOptions({
    queryKey: ["calls", "found", q],
    queryFn: ({ signal }) =>
      get<{ calls: CallSummary[] }>(
        `/v1/calls?${new URLSearchParams({ q, limit: "8", steps: "false" })}`,
        signal,
      ),
    enabled: q.length > 1,
  });

/** The signed receipt of a call, as the server sends it. */
export const receiptQuery = (call: string | undefined) =>
  queryOptions({
    queryKey: ["call", call, "receipt"],
    queryFn: ({ signal }) => get<unknown>(`/v1/calls/${encodeURIComponent(call ?? "")}/receipt`, signal),
    enabled: call !== undefined,
  });
