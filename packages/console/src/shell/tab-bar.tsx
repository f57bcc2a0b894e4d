import { useQuery } from "@tanstack/react-query";
import { Link, useRouterState } from "@tanstack/react-router";
import { CirclePause, LogOut, type LucideIcon, Menu, Search, Unplug } from "lucide-react";
import { type ReactNode, useState } from "react";
import { meQuery } from "../api/queries.ts";
import { LazyFreezeSheet } from "../freeze/freeze-button.tsx";
import { Foreign } from "../lib/foreign.tsx";
import { useOpenPalette } from "../palette/palette-host.tsx";
import { Sheet } from "../ui/sheet.tsx";
import { type Screen, screens } from "./screens.ts";

const tabs = screens.filter(({ isTab }) => isTab);
const others = screens.filter(({ isTab }) => !isTab);

const tab = "relative flex h-12 flex-1 flex-col items-center justify-center gap-0.5 px-2 text-xs font-medium";

/** The navigation of a phone: the main screens, and the others in a sheet. */
export function TabBar() {
  const [isOpen, setOpen] = useState(false);
  const [isFreezing, setFreezing] = useState(false);
  const { data: me } = useQuery(meQuery);
  const openPalette = useOpenPalette();
  const isOnTab = useRouterState({
    select: ({ location: { pathname } }) => tabs.some(({ path }) => pathname.startsWith(path)),
  });
  return (
    <nav
      aria-label="Main"
      className="order-last flex flex-none border-t border-line pb-[env(safe-area-inset-bottom)]"
    >
      {tabs.map(({ name, path, icon: Icon, count: Count }) => (
        <Link
          key={path}
          to={path}
          className={tab}
          inactiveProps={{ className: "text-muted" }}
          activeProps={{ className: "text-ink" }}
        >
          <Icon size={18} aria-hidden="true" />
          {name}
          {Count && <Count />}
        </Link>
      ))}
      <button
        type="button"
        aria-haspopup="dialog"
        onClick={() => openPalette("find")}
        className={`${tab} text-muted`}
      >
        <Search size={18} aria-hidden="true" />
        Find
      </button>
      <button
        type="button"
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
        className={`${tab} ${isOnTab ? "text-muted" : "text-ink"}`}
      >
        <Menu size={18} aria-hidden="true" />
        More
      </button>
      <Sheet title="More" isOpen={isOpen} onClose={() => setOpen(false)}>
        <ul className="-mx-4 mt-2 grid">
          {others.map((screen) => (
            <li key={screen.path}>
              <MoreLink screen={screen} onOpen={() => setOpen(false)} />
            </li>
          ))}
          <li>
            <button
              type="button"
              className={`${row} w-full text-left`}
              onClick={() => {
                setOpen(false);
                setFreezing(true);
              }}
            >
              <RowText icon={CirclePause}>Freeze actions</RowText>
            </button>
          </li>
          <li>
            <a href="/approvals" className={row}>
              <RowText icon={Unplug}>Without JavaScript</RowText>
            </a>
          </li>
          {me && (
            <li>
              <form method="post" action="/logout">
                <button type="submit" className={`${row} w-full text-left`}>
                  <RowText icon={LogOut}>
                    Log out <Foreign text={me.id} />
                  </RowText>
                </button>
              </form>
            </li>
          )}
        </ul>
      </Sheet>
      {isFreezing && <LazyFreezeSheet onClose={() => setFreezing(false)} />}
    </nav>
  );
}

const row = "relative flex min-h-12 items-center gap-3 px-4 text-lg";

function MoreLink({
  screen: { name, path, icon, count: Count },
  onOpen,
}: {
  readonly screen: Screen;
  readonly onOpen: () => void;
}) {
  return (
    <Link to={path} className={row} onClick={onOpen}>
      <RowText icon={icon}>{name}</RowText>
      {Count && (
        <span className="relative ml-auto w-12">
          <Count />
        </span>
      )}
    </Link>
  );
}

function RowText({ icon: Icon, children }: { readonly icon: LucideIcon; readonly children: ReactNode }) {
  return (
    <>
      <Icon size={20} aria-hidden="true" className="flex-none text-muted" />
      <span className="min-w-0">{children}</span>
    </>
  );
}
