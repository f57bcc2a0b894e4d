import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { openThawsQuery } from "../api/people-queries.ts";
import type { Freeze } from "../api/types.ts";
import { Foreign } from "../lib/foreign.tsx";
import { formatTime, useNow } from "../lib/time.ts";
import { Sheet } from "../ui/sheet.tsx";
import { FrozenSubject } from "./frozen-subject.tsx";
import { ThawSheet } from "./thaw-sheet.tsx";

/** The freezes in force, with a thaw for each, and the thaws that wait for approval. */
export function FreezesSheet({
  freezes,
  onClose,
}: {
  readonly freezes: readonly Freeze[];
  readonly onClose: () => void;
}) {
  const now = useNow();
  const [thawed, setThawed] = useState<string>();
  const thaws = useQuery(openThawsQuery).data?.calls ?? [];
  if (thawed !== undefined) return <ThawSheet freeze={thawed} onClose={onClose} />;
  return (
    <Sheet title="Frozen" isOpen onClose={onClose}>
      <p className="mt-1 text-muted">
        Calls wait, and Paraph accepts no new ones. A thaw lets the waiting calls continue.
      </p>
      <ul className="my-4 divide-y divide-line border-y border-line">
        {freezes.map((freeze) => (
          <li key={freeze.freeze} className="flex items-center gap-3 py-2.5">
            <div className="min-w-0 flex-1">
              <p className="font-semibold">
                <FrozenSubject freeze={freeze} />
              </p>
              <p className="text-sm text-muted">
                By <Foreign text={freeze.by} /> since {formatTime(freeze.at, now)}
              </p>
            </div>
            <button
              type="button"
              className="btn"
              aria-label={`Thaw ${freeze.subject}…`}
              onClick={() => setThawed(freeze.freeze)}
            >
              Thaw…
            </button>
          </li>
        ))}
      </ul>
      {thaws.map(({ call, headline }) => (
        <p key={call} className="mb-2">
          <Link to="/calls/$call" params={{ call }} className="link" onClick={onClose}>
            <Foreign text={headline} />
          </Link>{" "}
          <span className="text-muted">is requested.</span>
        </p>
      ))}
      <button type="button" className="btn mt-2 w-full" onClick={onClose}>
        Close
      </button>
    </Sheet>
  );
}
