import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, Outlet, useRouterState } from "@tanstack/react-router";
import { useLiveUpdates } from "../api/live.ts";
import { inboxQuery } from "../api/queries.ts";
import { FreezeStrip } from "../freeze/freeze-strip.tsx";
import { useMedia } from "../lib/media.ts";
import { formatTime } from "../lib/time.ts";
import { PaletteHost } from "../palette/palette-host.tsx";
import { Empty } from "../ui/states.tsx";
import { ConnectionContext, type ConnectionState, useOnline } from "./connection.ts";
import { KeyboardHelp } from "./keyboard-help.tsx";
import { Sidebar } from "./sidebar.tsx";
import { TabBar } from "./tab-bar.tsx";
import { useTitle } from "./use-title.ts";

/** The frame of every screen: navigation, the state of the connection, and the reader. */
export function Shell() {
  const live = useLiveUpdates();
  const isOnline = useOnline();
  const isWide = useMedia("(width >= 48rem)");
  // On a phone, an open approval or bundle has the whole screen.
  const isReading = useRouterState({
    select: ({ location: { pathname, search } }) =>
      /\/(approvals\/|bundles$)/.test(pathname) || "sel" in search,
  });
  const connection: ConnectionState = isOnline ? live : "offline";
  return (
    <ConnectionContext value={connection}>
      <KeyboardHelp>
        <PaletteHost>
          <a
            href="#main"
            className="sr-only focus:not-sr-only focus:fixed focus:z-40 focus:m-2 focus:bg-surface focus:p-2"
          >
            Skip to content
          </a>
          <div className="flex h-full flex-col md:flex-row">
            {isWide ? <Sidebar /> : !isReading && <TabBar />}
            <div className="flex min-h-0 min-w-0 flex-1 flex-col bg-surface">
              <FreezeStrip />
              <ConnectionStrip connection={connection} />
              {/* Hidden texts for screen readers have no place of their own, and would otherwise make the page scroll. */}
              <div id="main" className="relative min-h-0 flex-1 overflow-hidden">
                <Outlet />
              </div>
            </div>
          </div>
        </PaletteHost>
      </KeyboardHelp>
    </ConnectionContext>
  );
}

function ConnectionStrip({ connection }: { readonly connection: ConnectionState }) {
  const { dataUpdatedAt } = useInfiniteQuery(inboxQuery);
  if (connection !== "offline" && connection !== "lost") return null;
  return (
    <p role="status" className="flex-none bg-high-soft px-4 py-1.5 text-sm text-text">
      {connection === "offline" ? "You are offline." : "Live updates are interrupted. Connecting again."}{" "}
      {dataUpdatedAt > 0 && <>Data from {formatTime(new Date(dataUpdatedAt).toISOString())}.</>}
      {connection === "offline" && " You can't decide now."}
    </p>
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
