import { RefreshCw } from "lucide-react";
import type { Change, Round } from "../api/types.ts";
import { Foreign } from "../lib/foreign.tsx";
import { ValueTable } from "./blocks.tsx";
import { verbs } from "./change-block.tsx";
import { listDifferences } from "./preview-difference.ts";

/** The differences from the round before. They come before the changes, because people have read those already. */
export function SinceLastRound({
  round: { earlierPreview, preview },
}: {
  readonly round: Pick<Round, "earlierPreview" | "preview">;
}) {
  if (!earlierPreview || !preview) return null;
  const { basis, altered, added, removed } = listDifferences(earlierPreview, preview);
  const count = Object.keys(basis).length + altered.length + added.length + removed.length;
  return (
    <section aria-labelledby="since" className="card mt-3 overflow-hidden">
      <h2 id="since" className="flex min-h-11 items-center gap-2 px-3.5 py-2 font-semibold">
        <RefreshCw size={16} aria-hidden="true" className="flex-none text-high" />
        Different from the last round
      </h2>
      {count === 0 && <p className="border-t border-line px-3.5 py-2.5">The preview is the same.</p>}
      {Object.keys(basis).length > 0 && <ValueTable values={basis} />}
      {altered.map(({ change, values }) => (
        <div key={toKey(change)}>
          <ChangeName change={change} what="Differs" />
          <ValueTable values={values} />
        </div>
      ))}
      {added.map((change) => (
        <ChangeName key={toKey(change)} change={change} what="New" />
      ))}
      {removed.map((change) => (
        <ChangeName key={toKey(change)} change={change} what="No longer" />
      ))}
    </section>
  );
}

function ChangeName({
  change: { kind, target, summary },
  what,
}: {
  readonly change: Change;
  readonly what: string;
}) {
  return (
    <h3 className="border-t border-line px-3.5 py-2.5">
      <span className="font-semibold text-high">{what}:</span> {verbs[kind].toLowerCase()}{" "}
      <code className="font-semibold [overflow-wrap:anywhere]">
        <Foreign text={target} />
      </code>{" "}
      {summary !== undefined && <Foreign text={summary} />}
    </h3>
  );
}

function toKey(change: Change): string {
  return JSON.stringify(change);
}
