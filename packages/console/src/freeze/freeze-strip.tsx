import { useQuery } from "@tanstack/react-query";
import { CirclePause } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { freezesQuery } from "../api/overview-queries.ts";
import { openThawsQuery } from "../api/people-queries.ts";
import { Foreign } from "../lib/foreign.tsx";
import { formatTime, useNow } from "../lib/time.ts";
import { FrozenSubject } from "./frozen-subject.tsx";

const FreezesSheet = lazy(async () => ({ default: (await import("./freezes-sheet.tsx")).FreezesSheet }));

/** Says on every screen what is frozen, until it is thawed. A disabled principal is no emergency, so it is left out. */
export function FreezeStrip() {
  const { data } = useQuery(freezesQuery);
  const thaws = useQuery({ ...openThawsQuery, enabled: data !== undefined && data.freezes.length > 0 }).data;
  const [isOpen, setOpen] = useState(false);
  const now = useNow();
  const freezes = data?.freezes.filter(({ disabled }) => !disabled) ?? [];
  const first = freezes.find(({ kind }) => kind === "tenant") ?? freezes[0];
  if (!first && !isOpen) return null;
  return (
    <section aria-label="Freezes" className="flex-none bg-critical text-on-critical">
      {first && (
        <div className="flex min-h-11 items-center gap-2.5 px-4 py-1 md:px-6">
          <CirclePause size={18} aria-hidden="true" className="flex-none" />
          <p role="status" className="min-w-0 flex-1">
            <strong className="font-semibold">
              <FrozenSubject freeze={first} /> is frozen
              {freezes.length > 1 &&
                `, and ${freezes.length - 1} more ${freezes.length === 2 ? "freeze is" : "freezes are"} in force`}
              .
            </strong>{" "}
            <span className="max-md:sr-only">
              By <Foreign text={first.by} /> since {formatTime(first.at, now)}.
            </span>
            {freezes.some(({ freeze }) => thaws?.some(({ subject }) => subject === freeze)) &&
              " A thaw is requested."}
          </p>
          <button
            type="button"
            aria-haspopup="dialog"
            onClick={() => setOpen(true)}
            className="min-h-8 flex-none rounded-control border border-on-critical px-3 font-semibold outline-on-critical max-md:min-h-11"
          >
            Details…
          </button>
        </div>
      )}
      {isOpen && (
        <Suspense>
          <FreezesSheet freezes={freezes} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </section>
  );
}
