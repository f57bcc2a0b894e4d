import { createRootRoute, createRoute, createRouter, redirect } from "@tanstack/react-router";
import type { CallFilter } from "./api/queries.ts";
import { ApprovalPage } from "./approval/approval-page.tsx";
import { CallPage, type CallTab } from "./calls/call-page.tsx";
import { CallsPage } from "./calls/calls-page.tsx";
import { InboxPage } from "./inbox/inbox-page.tsx";
import type { InboxSearch } from "./inbox/inbox-search.ts";
import { NotFound, Shell } from "./shell/shell.tsx";

const rootRoute = createRootRoute({ component: Shell, notFoundComponent: NotFound });

const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);
const oneOf = <T extends string>(value: unknown, options: readonly T[]) =>
  options.find((one) => one === value);

const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/inbox" });
  },
});

const inboxRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/inbox",
  component: InboxPage,
  validateSearch: (search: Record<string, unknown>): InboxSearch => ({
    tab: oneOf(search.tab, ["others", "decided"] as const),
    status: oneOf(search.status, ["denied", "expired"] as const),
    risk: oneOf(search.risk, ["low", "medium", "high", "critical"] as const),
    q: text(search.q),
    sel: text(search.sel),
  }),
});

const approvalRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/approvals/$approval",
  component: () => <ApprovalPage approval={approvalRoute.useParams().approval} />,
});

const callsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/calls",
  component: CallsPage,
  validateSearch: (search: Record<string, unknown>): CallFilter => ({
    state: oneOf(search.state, ["open", "closed"] as const),
    outcome: text(search.outcome),
    capability: text(search.capability),
  }),
});

const callRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/calls/$call",
  component: () => <CallPage call={callRoute.useParams().call} tab={callRoute.useSearch().tab} />,
  validateSearch: (search: Record<string, unknown>): { tab?: CallTab | undefined } => ({
    tab: oneOf(search.tab, ["changes", "data"] as const),
  }),
});

export const router = createRouter({
  basepath: "/console",
  routeTree: rootRoute.addChildren([homeRoute, inboxRoute, approvalRoute, callsRoute, callRoute]),
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
