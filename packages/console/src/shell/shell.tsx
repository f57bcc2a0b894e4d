import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, Outlet, useRouterState } from "@tanstack/react-router";
import { Inbox, ListTree, LogOut, Unplug } from "lucide-react";
import { type ReactNode, useEffect } from "react";
import { useLiveUpdates } from "../api/live.ts";
import { inboxQuery, meQuery } from "../api/queries.ts";
import { isForReader } from "../inbox/for-reader.ts";
import { Foreign } from "../lib/foreign.tsx";
import { formatTime } from "../lib/time.ts";
import { Avatar } from "../ui/principal.tsx";
import { Empty } from "../ui/states.tsx";
import { ConnectionContext, type ConnectionState, useOnline } from "./connection.ts";
import { KeyboardHelp } from "./keyboard.tsx";

/** The frame of every screen: navigation, the state of the connection, and the reader. */
export function Shell() {
  const live = useLiveUpdates();
  const isOnline = useOnline();
  const { data: me } = useQuery(meQuery);
  const { data, dataUpdatedAt } = useInfiniteQuery(inboxQuery);
  const count = data?.pages.flatMap(({ items }) => items).filter(isForReader).length ?? 0;
  const isPartial = data?.pages.at(-1)?.next !== undefined;
  // On a phone, an open approval has the whole screen.
  const isReading = useRouterState({
    select: ({ location: { pathname, search } }) => /\/approvals\//.test(pathname) || "sel" in search,
  });
  const connection: ConnectionState = isOnline ? live : "offline";
  return (
    <ConnectionContext value={connection}>
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:fixed focus:z-40 focus:m-2 focus:bg-surface focus:p-2"
      >
        Skip to content
      </a>
      <div className="flex h-full flex-col md:flex-row">
        <nav
          aria-label="Main"
          className={`order-last flex-none border-line max-md:border-t md:order-none md:flex ${isReading ? "hidden" : "flex"} md:w-14 md:flex-col md:gap-1 md:border-r md:px-2 md:py-3 lg:w-53`}
        >
          <div className="hidden items-center gap-2 px-2 pb-3 text-lg font-semibold md:flex">
            <Logo />
            <span className="hidden lg:inline">Paraph</span>
            {me && (
              <span className="ml-auto hidden truncate text-xs font-medium text-muted lg:inline">
                <Foreign text={me.tenant} />
              </span>
            )}
          </div>
          <NavLink to="/inbox" icon={<Inbox size={18} aria-hidden="true" />} name="Inbox">
            {count > 0 && (
              <span className="rounded-full bg-ink px-1.5 text-xs leading-4.5 font-semibold text-on-ink max-lg:absolute max-lg:top-0.5 max-lg:right-1/2 max-lg:translate-x-5 lg:ml-auto">
                {count}
                {isPartial && "+"}
                <span className="sr-only"> wait for you</span>
              </span>
            )}
          </NavLink>
          <NavLink to="/calls" icon={<ListTree size={18} aria-hidden="true" />} name="Calls" />
          <div className="contents md:mt-auto md:grid md:gap-1">
            <KeyboardHelp />
            <a
              href="/approvals"
              className="flex h-12 flex-1 flex-col items-center justify-center gap-0.5 rounded-control px-2 text-xs font-medium text-muted hover:text-text md:h-9 md:flex-none md:flex-row md:justify-start md:gap-2.5"
            >
              <Unplug size={18} aria-hidden="true" className="flex-none" />
              <span className="text-center leading-3.5 md:sr-only lg:not-sr-only">Without JavaScript</span>
            </a>
            {me && (
              <div className="hidden items-center gap-2 px-2 py-1 md:flex">
                <span className="max-lg:hidden">
                  <Avatar id={me.id} kind={me.kind} />
                </span>
                <span className="hidden min-w-0 truncate text-sm lg:inline">
                  <Foreign text={me.id} />
                </span>
                <form method="post" action="/logout" className="lg:ml-auto">
                  <button
                    type="submit"
                    title="Log out"
                    aria-label="Log out"
                    className="grid size-8 place-items-center rounded-control text-muted hover:text-text"
                  >
                    <LogOut size={16} aria-hidden="true" />
                  </button>
                </form>
              </div>
            )}
            <LiveMark connection={connection} />
          </div>
        </nav>
        <div className="flex min-h-0 min-w-0 flex-1 flex-col bg-surface">
          {(connection === "offline" || connection === "lost") && (
            <p role="status" className="flex-none bg-high-soft px-4 py-1.5 text-sm text-text">
              {connection === "offline"
                ? "You are offline."
                : "Live updates are interrupted. Connecting again."}{" "}
              {dataUpdatedAt > 0 && <>Data from {formatTime(new Date(dataUpdatedAt).toISOString())}.</>}
              {connection === "offline" && " You can't decide now."}
            </p>
          )}
          <div id="main" className="min-h-0 flex-1">
            <Outlet />
          </div>
        </div>
      </div>
    </ConnectionContext>
  );
}

function NavLink({
  to,
  icon,
  name,
  children,
}: {
  readonly to: "/inbox" | "/calls";
  readonly icon: ReactNode;
  readonly name: string;
  readonly children?: ReactNode;
}) {
  return (
    <Link
      to={to}
      className="relative flex h-12 flex-1 flex-col items-center justify-center gap-0.5 rounded-control px-2 text-xs font-medium md:h-9 md:flex-none md:flex-row md:justify-start md:gap-2.5 md:text-base"
      inactiveProps={{ className: "text-muted hover:text-text" }}
      activeProps={{ className: "text-ink md:bg-surface md:text-text md:shadow-[0_0_0_1px_var(--line)]" }}
    >
      <span className="flex-none">{icon}</span>
      <span className="md:sr-only lg:not-sr-only">{name}</span>
      {children}
    </Link>
  );
}

function LiveMark({ connection }: { readonly connection: ConnectionState }) {
  const [color, word] =
    connection === "live"
      ? ["bg-good", "Live"]
      : connection === "connecting"
        ? ["bg-edge", "Connecting"]
        : ["bg-high", connection === "offline" ? "Offline" : "Interrupted"];
  return (
    <p className="hidden items-center gap-1.5 px-3 text-xs text-muted md:flex">
      <span className={`size-2 flex-none rounded-full ${color}`} />
      <span className="max-lg:sr-only">{word}</span>
    </p>
  );
}

function Logo() {
  return (
    <svg
      viewBox="0 0 26 22"
      width="26"
      height="22"
      fill="none"
      stroke="currentColor"
      strokeWidth="2.1"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className="flex-none text-ink"
    >
      <path d="M4 18 C7 11, 11 3, 15 3 C19 3, 17 9, 12 11 C9 12, 7 11, 7 10" />
      <path d="M2 19 C9 15, 15 14, 16 16 C17 18, 12 20, 14 19 C17 18, 20 15, 24 16" />
    </svg>
  );
}

export function NotFound() {
  useTitle("Not found");
  return (
    <Empty title="This page does not exist">
      <Link to="/inbox" className="link">
        Open the inbox
      </Link>
    </Empty>
  );
}

/** Sets the title of the browser tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Paraph`;
  }, [title]);
}
