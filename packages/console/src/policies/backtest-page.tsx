import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { CircleCheck, CircleX } from "lucide-react";
import { useState } from "react";
import { policyQuery } from "../api/queries.ts";
import type { PolicySet } from "../api/types.ts";
import { Foreign, Sentence } from "../lib/foreign.tsx";
import { useTitle } from "../shell/use-title.ts";
import { Empty, LoadError, Notice, Skeleton } from "../ui/states.tsx";
import { BacktestResultView } from "./backtest-result.tsx";
import { DraftEditor } from "./draft-editor.tsx";
import { PoliciesFrame } from "./policies-frame.tsx";
import { usePolicyDraft } from "./policy-draft.ts";
import { PublishSheet } from "./publish-sheet.tsx";
import { useBacktest } from "./use-backtest.ts";

/** The edited file, the period and the shown day, as they are in the address. */
export interface BacktestSearch {
  readonly file?: string | undefined;
  readonly days?: 7 | 90 | undefined;
  readonly day?: string | undefined;
}

/** Changes policies in a draft, and shows how the draft would have ruled on past calls. */
export function BacktestPage() {
  const { data, isPending, error, refetch } = useQuery(policyQuery);
  useTitle("Backtest");
  return (
    <PoliciesFrame current="/policies/backtest">
      {isPending ? (
        <Skeleton />
      ) : data ? (
        <Backtest policy={data} />
      ) : (
        <LoadError error={error} onRetry={() => void refetch()} />
      )}
    </PoliciesFrame>
  );
}

function Backtest({ policy }: { readonly policy: PolicySet }) {
  const { days = 30 } = useSearch({ from: "/policies/backtest" });
  const navigate = useNavigate({ from: "/policies/backtest" });
  const { draft } = usePolicyDraft();
  const { state, run, reset } = useBacktest();
  const [isPublishing, setPublishing] = useState(false);
  const changed = draft.filter(
    ({ file, text }) => policy.files.find((one) => one.file === file)?.text !== text,
  );
  // A result belongs to the texts that it was made with.
  const isCurrent = state.kind === "done" && state.sources.every((one) => changed.includes(one));
  const canRun = changed.length > 0 && state.kind !== "running";
  return (
    <div className="grid min-h-full grid-cols-[minmax(0,1fr)] content-start xl:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
      <section aria-label="Candidate" className="min-w-0 border-line xl:border-r">
        <DraftEditor policy={policy} onChange={reset} />
        <div className="flex flex-wrap items-center gap-2 border-t border-line p-3.5">
          <label className="flex items-center gap-2 text-sm">
            Calls of the last
            <select
              value={days}
              onChange={({ target }) => {
                const chosen = Number(target.value);
                void navigate({
                  search: (old) => ({ ...old, days: chosen === 7 || chosen === 90 ? chosen : undefined }),
                });
              }}
              className="h-9 rounded-control border border-edge bg-surface px-1 max-md:h-11"
            >
              <option value={7}>7 days</option>
              <option value={30}>30 days</option>
              <option value={90}>90 days</option>
            </select>
          </label>
          <button
            type="button"
            className="btn btn-primary ml-auto"
            aria-disabled={!canRun}
            onClick={() => canRun && void run(changed, days)}
          >
            Run the backtest
          </button>
        </div>
        {state.kind === "done" && isCurrent && (
          <p className="flex gap-2 border-t border-line p-3.5">
            <CircleCheck size={16} aria-hidden="true" className="mt-0.5 flex-none text-good" />
            The candidate is a valid policy set.
          </p>
        )}
      </section>
      <section aria-label="Result" aria-live="polite" className="min-w-0">
        {state.kind === "running" ? (
          <Progress done={state.done} total={state.total} />
        ) : state.kind === "faulty" ? (
          <Faults faults={state.faults} />
        ) : state.kind === "failed" ? (
          <LoadError error={state.error} onRetry={() => void run(changed, days)} />
        ) : state.kind === "done" && isCurrent ? (
          <BacktestResultView result={state.result} />
        ) : (
          <Empty title="What would be different?">
            {changed.length === 0
              ? "Change a policy, or add a file. The backtest then rules on past calls with your candidate. It asks no one and changes nothing."
              : "Run the backtest to see which past calls your candidate would rule differently."}
          </Empty>
        )}
      </section>
      {changed.length > 0 && (
        <footer className="sticky bottom-0 flex flex-wrap items-center gap-2 border-t border-line bg-surface px-4 py-3 md:px-6 xl:col-span-2">
          <p className="min-w-0 flex-1 text-sm text-muted">
            To put a candidate in force is a call of critical risk. Other people approve it, and its undo is
            the version before.
          </p>
          <button
            type="button"
            className="btn"
            aria-disabled={!isCurrent}
            title={isCurrent ? undefined : "First run the backtest"}
            onClick={() => isCurrent && setPublishing(true)}
          >
            Request publication…
          </button>
        </footer>
      )}
      {isPublishing && <PublishSheet sources={changed} onClose={() => setPublishing(false)} />}
    </div>
  );
}

function Progress({ done, total }: { readonly done: number; readonly total: number }) {
  return (
    <div className="grid gap-2 p-6">
      <p role="status">
        {done.toLocaleString("en-GB")} of {total.toLocaleString("en-GB")} calls
      </p>
      <progress
        value={done}
        max={Math.max(1, total)}
        aria-label="Progress"
        className="h-2 w-full accent-ink"
      />
    </div>
  );
}

function Faults({
  faults,
}: {
  readonly faults: readonly { file: string; line?: number; sentence: string }[];
}) {
  return (
    <div className="p-4 md:px-6">
      <Notice tone="failed" icon={CircleX} isAlert>
        <strong>
          {faults.length} {faults.length === 1 ? "fault" : "faults"}.
        </strong>{" "}
        The candidate can't be loaded.
        <ul className="mt-1 grid gap-1">
          {faults.map(({ file, line, sentence }) => (
            <li key={`${file} ${line} ${sentence}`}>
              <code>
                <Foreign text={file} />
                {line !== undefined && `:${line}`}
              </code>{" "}
              <Sentence text={sentence} />
            </li>
          ))}
        </ul>
      </Notice>
    </div>
  );
}
