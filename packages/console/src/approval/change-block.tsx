import type { Change } from "../api/types.ts";
import { Foreign } from "../lib/foreign.tsx";
import { DiffBlock, ValueTable } from "./blocks.tsx";
import { EndMark } from "./end-mark.tsx";

/** The verb for each kind of change. */
export const verbs: Record<Change["kind"], string> = {
  create: "Creates",
  update: "Changes",
  delete: "Deletes",
  move: "Moves",
  send: "Sends",
  run: "Runs",
  other: "Affects",
};

/** One change: its target, a summary, its details and its diff. Deletions are never folded. */
export function ChangeBlock({ change }: { readonly change: Change }) {
  const { kind, target, summary, diff, details, incomplete } = change;
  const color = kind === "delete" ? "text-removed" : kind === "create" ? "text-added" : "text-muted";
  return (
    <div>
      <h3 className="flex flex-wrap items-baseline gap-x-2 px-3.5 py-2.5">
        <span className={`font-semibold ${color}`}>{verbs[kind]}</span>
        <code className="min-w-0 font-semibold [overflow-wrap:anywhere]">
          <Foreign text={target} />
        </code>
        {summary !== undefined && (
          <span className="min-w-0 [overflow-wrap:anywhere]">
            <Foreign text={summary} />
          </span>
        )}
      </h3>
      {incomplete && (
        <p className="px-3.5 pb-2 font-semibold text-critical">
          The preview does not show every change, so you can't approve.
        </p>
      )}
      {details && <ValueTable values={details} />}
      {diff !== undefined && <DiffBlock diff={diff} canFold={kind !== "delete"} />}
      <EndMark />
    </div>
  );
}
