import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { heldCallsQuery, openThawsQuery } from "../api/people-queries.ts";
import type { Freeze } from "../api/types.ts";
import { Foreign } from "../lib/foreign.tsx";
import { formatTime, useNow } from "../lib/time.ts";
import { Sheet } from "../ui/sheet.tsx";
import { FrozenSubject } from "./frozen-subject.tsx";
import { ThawSheet } from "./thaw-sheet.tsx";

/** The freezes in force with the calls that they hold, and a thaw for each. */
export function FreezesSheet({
  freezes,
  onClose,
}: {
  readonly freezes: readonly Freeze[];
  readonly onClose: () => void;
}) {
  const now = useNow();
  const [thawed, setThawed] = useState<string>();
  const { data: thaws = [] } = useQuery(openThawsQuery);
  if (thawed !== undefined) return <ThawSheet freeze={thawed} onClose={onClose} />;
  return (
    <Sheet title="Frozen" isOpen onClose={onClose}>
      <p className="mt-1 text-muted">
        Calls wait, and Paraph accepts no new ones. A thaw lets the waiting calls continue.
      </p>
      <ul className="my-4 divide-y divide-line border-y border-line">
        {freezes.map((freeze) => {
          const thaw = thaws.find(({ subject }) => subject === freeze.freeze);
          return (
            <li key={freeze.freeze} className="grid gap-1.5 py-2.5">
              <div className="flex items-center gap-3">
                <div className="min-w-0 flex-1">
                  <p className="font-semibold">
                    <FrozenSubject freeze={freeze} />
                  </p>
                  <p className="text-sm text-muted">
                    By <Foreign text={freeze.by} /> since {formatTime(freeze.at, now)}
                  </p>
                </div>
                {!thaw && (
                  <button
                    type="button"
                    className="btn"
                    aria-label={`Thaw ${freeze.subject}…`}
                    onClick={() => setThawed(freeze.freeze)}
                  >
                    Thaw…
                  </button>
                )}
              </div>
              {thaw && (
                <p>
                  <Link to="/calls/$call" params={{ call: thaw.call }} className="link" onClick={onClose}>
                    A thaw is requested
                  </Link>{" "}
                  <span className="text-muted">
                    by <Foreign text={thaw.requester} />.
                  </span>
                </p>
              )}
              <HeldCalls freeze={freeze.freeze} onLeave={onClose} />
            </li>
          );
        })}
      </ul>
      <button type="button" className="btn mt-2 w-full" onClick={onClose}>
        Close
      </button>
    </Sheet>
  );
}

/** The newest calls that the freeze holds, with a link to all of them. */
function HeldCalls({ freeze, onLeave }: { readonly freeze: string; readonly onLeave: () => void }) {
  const { data } = useQuery(heldCallsQuery(freeze));
  if (!data) return null;
  if (data.calls.length === 0 && data.next === undefined)
    return <p className="text-sm text-muted">It holds no call.</p>;
  return (
    <>
      <p className="text-sm text-muted">It holds these calls:</p>
      <ul className="grid gap-1">
        {data.calls.map(({ call, headline }) => (
          <li key={call} className="min-w-0 truncate">
            <Link to="/calls/$call" params={{ call }} className="hover:underline" onClick={onLeave}>
              <Foreign text={headline} />
            </Link>
          </li>
        ))}
      </ul>
      {data.next !== undefined && (
        <Link
          to="/calls"
          search={{ heldBy: freeze }}
          className="link max-md:min-h-11 max-md:py-2.5"
          onClick={onLeave}
        >
          Show all calls that it holds
        </Link>
      )}
    </>
  );
}
