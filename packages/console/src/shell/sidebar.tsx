import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { LogOut, Unplug } from "lucide-react";
import { meQuery } from "../api/queries.ts";
import { FreezeButton } from "../freeze/freeze-button.tsx";
import { Foreign } from "../lib/foreign.tsx";
import { FindButton } from "../palette/palette-host.tsx";
import { Avatar } from "../ui/principal.tsx";
import { type ConnectionState, useConnection } from "./connection.ts";
import { KeyboardButton } from "./keyboard-help.tsx";
import { Logo } from "./logo.tsx";
import { type Screen, screens } from "./screens.ts";

const listed = screens.filter(({ isOwn }) => !isOwn);
const own = screens.filter(({ isOwn }) => isOwn);

const ownEntry = "grid size-8 flex-none place-items-center rounded-control";
const entry =
  "relative flex h-9 items-center gap-2.5 rounded-control px-2 text-base font-medium max-lg:justify-center";

/** The navigation of a wide screen. Below 1024 px, it shows only icons. */
export function Sidebar() {
  const { data: me } = useQuery(meQuery);
  return (
    <nav
      aria-label="Main"
      className="flex w-14 flex-none flex-col gap-1 overflow-y-auto border-r border-line px-2 py-3 lg:w-53"
    >
      <div className="flex items-center gap-2 px-2 pb-3 text-lg font-semibold">
        <Logo />
        <span className="hidden lg:inline">Paraph</span>
        {me && (
          <span className="ml-auto hidden truncate text-xs font-medium text-muted lg:inline">
            <Foreign text={me.tenant} />
          </span>
        )}
      </div>
      <FindButton />
      {listed.map((screen, index) => (
        <Entry key={screen.path} screen={screen} startsGroup={screen.group !== listed[index - 1]?.group} />
      ))}
      <div className="mt-auto grid grid-cols-[minmax(0,1fr)] gap-1 pt-4">
        <KeyboardButton />
        <a href="/approvals" className={`${entry} text-xs text-muted hover:text-text`}>
          <Unplug size={18} aria-hidden="true" className="flex-none" />
          <span className="max-lg:sr-only">Without JavaScript</span>
        </a>
        <FreezeButton className={`${entry} mt-1 w-full border border-edge bg-surface hover:bg-sunken`} />
        {me && (
          <div className="flex items-center py-1 max-lg:flex-col lg:pl-2">
            <span className="mr-2 max-lg:hidden">
              <Avatar id={me.id} kind={me.kind} />
            </span>
            <span className="hidden min-w-0 flex-1 truncate text-sm lg:inline">
              <Foreign text={me.id} />
            </span>
            {own.map(({ name, path, icon: Icon }) => (
              <Link
                key={path}
                to={path}
                title={name}
                aria-label={name}
                className={ownEntry}
                inactiveProps={{ className: "text-muted hover:text-text" }}
                activeProps={{ className: "bg-surface text-text shadow-[0_0_0_1px_var(--line)]" }}
              >
                <Icon size={16} aria-hidden="true" />
              </Link>
            ))}
            <form method="post" action="/logout">
              <button
                type="submit"
                title="Log out"
                aria-label="Log out"
                className={`${ownEntry} text-muted hover:text-text`}
              >
                <LogOut size={16} aria-hidden="true" />
              </button>
            </form>
          </div>
        )}
        <LiveMark connection={useConnection()} />
      </div>
    </nav>
  );
}

function Entry({
  screen: { name, path, group, icon: Icon, count: Count },
  startsGroup,
}: {
  readonly screen: Screen;
  readonly startsGroup: boolean;
}) {
  return (
    <>
      {startsGroup && group !== undefined && (
        <p className="mt-3 px-2 pb-1 text-xs font-medium text-muted max-lg:border-t max-lg:border-line">
          <span className="max-lg:sr-only">{group}</span>
        </p>
      )}
      <Link
        to={path}
        title={name}
        activeOptions={{ exact: path === "/" }}
        className={entry}
        inactiveProps={{ className: "text-muted hover:text-text" }}
        activeProps={{ className: "bg-surface text-text shadow-[0_0_0_1px_var(--line)]" }}
      >
        <Icon size={18} aria-hidden="true" className="flex-none" />
        <span className="max-lg:sr-only">{name}</span>
        {Count && <Count />}
      </Link>
    </>
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
    <p className="flex items-center gap-1.5 px-3 text-xs text-muted">
      <span className={`size-2 flex-none rounded-full ${color}`} />
      <span className="max-lg:sr-only">{word}</span>
    </p>
  );
}
