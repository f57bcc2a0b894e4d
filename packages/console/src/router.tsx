import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { type ActivityFilter, activityKinds } from "./api/activity-queries.ts";
import type { PrincipalFilter } from "./api/people-queries.ts";
import type { CallFilter } from "./api/queries.ts";
import { ApprovalPage } from "./approval/approval-page.tsx";
import type { EditSearch } from "./approval/edit-page.tsx";
import type { BundleSearch } from "./bundles/bundle-page.tsx";
import type { CallTab } from "./calls/call-page.tsx";
import type { CapabilitiesSearch } from "./capabilities/capabilities-page.tsx";
import type { CapabilityTab } from "./capabilities/capability-page.tsx";
import { InboxPage } from "./inbox/inbox-page.tsx";
import type { InboxSearch } from "./inbox/inbox-search.ts";
import type { PlansSearch } from "./plans/plans-page.tsx";
import { type StepFilter, stepFilters } from "./plans/step-list.tsx";
import type { BacktestSearch } from "./policies/backtest-page.tsx";
import type { PolicySearch } from "./policies/policy-page.tsx";
import type { WhatIfSearch } from "./policies/what-if-page.tsx";
import type { ReceiptsSearch } from "./receipts/receipts-page.tsx";
import { NotFound, Shell } from "./shell/shell.tsx";
import type { StatisticsSearch } from "./statistics/statistics-page.tsx";
import { Skeleton } from "./ui/states.tsx";

const rootRoute = createRootRoute({ component: Shell, notFoundComponent: NotFound });

const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);
const time = (value: unknown) =>
  typeof value === "string" && !Number.isNaN(Date.parse(value)) ? new Date(value).toISOString() : undefined;
const oneOf = <T extends string>(value: unknown, options: readonly T[]) =>
  options.find((one) => one === value);

const readStepFilter = (search: Record<string, unknown>): { steps?: StepFilter | undefined } => ({
  steps: oneOf(search.steps, stepFilters),
});

const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  component: lazyRouteComponent(() => import("./home/home-page.tsx"), "HomePage"),
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
    steps: oneOf(search.steps, stepFilters),
  }),
});

const approvalRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/approvals/$approval",
  component: () => <ApprovalPage approval={approvalRoute.useParams().approval} />,
  validateSearch: readStepFilter,
});

const editRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/approvals/$approval/edit",
  component: lazyRouteComponent(() => import("./approval/edit-page.tsx"), "EditPage"),
  validateSearch: (search: Record<string, unknown>): EditSearch => ({ step: text(search.step) }),
});

const bundleRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/bundles",
  component: lazyRouteComponent(() => import("./bundles/bundle-page.tsx"), "BundlePage"),
  validateSearch: (search: Record<string, unknown>): BundleSearch => ({
    principal: text(search.principal),
    capability: text(search.capability),
    tab: oneOf(search.tab, ["others"] as const),
  }),
});

const callsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/calls",
  component: lazyRouteComponent(() => import("./calls/calls-page.tsx"), "CallsPage"),
  validateSearch: (search: Record<string, unknown>): CallFilter => ({
    q: text(search.q),
    state: oneOf(search.state, ["open", "closed"] as const),
    outcome: text(search.outcome),
    capability: text(search.capability),
    principal: text(search.principal),
    session: text(search.session),
    heldBy: text(search.heldBy),
    since: time(search.since),
    until: time(search.until),
  }),
});

const callRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/calls/$call",
  component: lazyRouteComponent(() => import("./calls/call-page.tsx"), "CallPage"),
  validateSearch: (
    search: Record<string, unknown>,
  ): { tab?: CallTab | undefined; steps?: StepFilter | undefined } => ({
    ...readStepFilter(search),
    tab: oneOf(search.tab, ["changes", "data"] as const),
  }),
});

const undoRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/calls/$call/undo",
  component: lazyRouteComponent(() => import("./calls/undo-page.tsx"), "UndoPage"),
});

const unknownRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/unknown",
  component: lazyRouteComponent(() => import("./unknown/unknown-page.tsx"), "UnknownPage"),
});

const statisticsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/statistics",
  component: lazyRouteComponent(() => import("./statistics/statistics-page.tsx"), "StatisticsPage"),
  validateSearch: (search: Record<string, unknown>): StatisticsSearch => ({
    by: oneOf(search.by, ["capability"] as const),
    period: oneOf(search.period, ["day", "month"] as const),
  }),
});

const plansRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/plans",
  component: lazyRouteComponent(() => import("./plans/plans-page.tsx"), "PlansPage"),
  validateSearch: (search: Record<string, unknown>): PlansSearch => ({
    state: oneOf(search.state, ["open", "closed"] as const),
  }),
});

const planRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/plans/$call",
  component: lazyRouteComponent(() => import("./plans/plan-page.tsx"), "PlanPage"),
  validateSearch: readStepFilter,
});

const policiesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/policies",
  component: lazyRouteComponent(() => import("./policies/policy-page.tsx"), "PolicyPage"),
  validateSearch: (search: Record<string, unknown>): PolicySearch => ({
    file: text(search.file),
    line: typeof search.line === "number" ? search.line : undefined,
  }),
});

const whatIfRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/policies/what-if",
  component: lazyRouteComponent(() => import("./policies/what-if-page.tsx"), "WhatIfPage"),
  validateSearch: (search: Record<string, unknown>): WhatIfSearch => ({
    principal: text(search.principal),
    capability: text(search.capability),
  }),
});

const backtestRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/policies/backtest",
  component: lazyRouteComponent(() => import("./policies/backtest-page.tsx"), "BacktestPage"),
  validateSearch: (search: Record<string, unknown>): BacktestSearch => ({
    file: text(search.file),
    days: ([7, 90] as const).find((days) => days === search.days),
    day: text(search.day),
  }),
});

const peopleRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/people",
  component: lazyRouteComponent(() => import("./people/people-page.tsx"), "PeoplePage"),
  validateSearch: (search: Record<string, unknown>): PrincipalFilter => ({
    q: text(search.q),
    kind: oneOf(search.kind, ["agent", "person", "service"] as const),
    state: oneOf(search.state, ["active", "invited", "frozen", "disabled"] as const),
    owner: text(search.owner),
  }),
});

const principalRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/people/$principal",
  component: lazyRouteComponent(() => import("./people/principal-page.tsx"), "PrincipalPage"),
});

const passkeysRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/passkeys",
  component: lazyRouteComponent(() => import("./passkeys/passkeys-page.tsx"), "PasskeysPage"),
});

const activityRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/activity",
  component: lazyRouteComponent(() => import("./activity/activity-page.tsx"), "ActivityPage"),
  validateSearch: (search: Record<string, unknown>): ActivityFilter => ({
    principal: text(search.principal),
    kind: oneOf(search.kind, activityKinds),
    capability: text(search.capability),
    since: time(search.since),
    until: time(search.until),
  }),
});

const receiptsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/receipts",
  component: lazyRouteComponent(() => import("./receipts/receipts-page.tsx"), "ReceiptsPage"),
  validateSearch: (search: Record<string, unknown>): ReceiptsSearch => ({ call: text(search.call) }),
});

const capabilitiesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/capabilities",
  component: lazyRouteComponent(() => import("./capabilities/capabilities-page.tsx"), "CapabilitiesPage"),
  validateSearch: (search: Record<string, unknown>): CapabilitiesSearch => ({
    q: text(search.q),
    effect: oneOf(search.effect, ["read", "write", "destroy"] as const),
  }),
});

const capabilityRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/capabilities/$name",
  component: lazyRouteComponent(() => import("./capabilities/capability-page.tsx"), "CapabilityPage"),
  validateSearch: (search: Record<string, unknown>): { tab?: CapabilityTab | undefined } => ({
    tab: oneOf(search.tab, ["contract", "activity"] as const),
  }),
});

const adapterRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/adapters/$name",
  component: lazyRouteComponent(() => import("./capabilities/adapter-page.tsx"), "AdapterPage"),
});

// The inbox and the approval load first. Each other screen is a file of its own that loads when it is opened.
export const router = createRouter({
  basepath: "/console",
  defaultPendingComponent: () => <Skeleton />,
  routeTree: rootRoute.addChildren([
    homeRoute,
    inboxRoute,
    approvalRoute,
    editRoute,
    bundleRoute,
    callsRoute,
    callRoute,
    undoRoute,
    unknownRoute,
    statisticsRoute,
    plansRoute,
    planRoute,
    policiesRoute,
    whatIfRoute,
    backtestRoute,
    peopleRoute,
    principalRoute,
    passkeysRoute,
    activityRoute,
    receiptsRoute,
    capabilitiesRoute,
    capabilityRoute,
    adapterRoute,
  ]),
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
