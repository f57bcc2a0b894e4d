import { useQuery } from "@tanstack/react-query";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import { ChevronLeft, ChevronRight, Info } from "lucide-react";
import { useState } from "react";
import { approvalQuery, contractQuery } from "../api/queries.ts";
import type { Round } from "../api/types.ts";
import { Foreign } from "../lib/foreign.tsx";
import { type PlanStep, readSteps } from "../plans/plan-step.ts";
import { useTitle } from "../shell/use-title.ts";
import { LoadError, Notice, Skeleton } from "../ui/states.tsx";
import { EditForm } from "./edit-form.tsx";

export interface EditSearch {
  /** The step of a plan whose input is edited. */
  readonly step?: string | undefined;
}

/** Edits the input of a waiting call, or of one step of a plan. */
export function EditPage() {
  const { approval } = useParams({ from: "/approvals/$approval/edit" });
  const { step } = useSearch({ from: "/approvals/$approval/edit" });
  const { data, isPending, error, refetch } = useQuery(approvalQuery(approval));
  useTitle("Edit request");
  if (isPending) return <Skeleton />;
  if (!data) return <LoadError error={error} onRetry={() => void refetch()} />;
  return (
    <div className="h-full overflow-y-auto px-4 pb-10 md:px-6">
      <nav aria-label="Breadcrumb" className="flex h-13 items-center text-sm">
        <Link
          to="/approvals/$approval"
          params={{ approval }}
          className="-ml-2 flex min-h-9 items-center gap-1 pr-2 font-medium max-md:min-h-11"
        >
          <ChevronLeft size={18} aria-hidden="true" />
          Back to the request
        </Link>
      </nav>
      <div className="max-w-190">
        {data.kind === "round" ? (
          <EditRound key={step ?? ""} current={data} step={step} />
        ) : (
          <NotEditable text="The request was replaced by a newer one." approval={data.newest} />
        )}
      </div>
    </div>
  );
}

function EditRound({ current, step }: { readonly current: Round; readonly step: string | undefined }) {
  // A refresh must not replace what the person has written. The server refuses an edit of a digest that has changed.
  const [round] = useState(current);
  if (round.status !== "open")
    return <NotEditable text="The request is no longer open." approval={round.approval} />;
  const steps = readSteps(round);
  const chosen = steps?.find(({ id }) => id === step);
  const capability = chosen?.capability ?? round.capability;
  return (
    <>
      <p className="text-sm font-medium text-muted">Edit request</p>
      <h1 id="fact" tabIndex={-1} className="mt-1 text-2xl leading-8 font-semibold outline-none">
        <Foreign text={round.headline} />
      </h1>
      {steps && !chosen ? (
        <StepPicker approval={round.approval} steps={steps} />
      ) : (
        <>
          <p className="mt-1 mb-4 text-muted">
            {chosen && (
              <>
                Step {chosen.number}: <Foreign text={chosen.headline} />.{" "}
              </>
            )}
            You change the input, not the capability <code>{capability}</code>. The edited request replaces
            this one, without its votes.
          </p>
          <LoadedForm round={round} step={chosen?.id} capability={capability} />
        </>
      )}
    </>
  );
}

function LoadedForm({
  round,
  step,
  capability,
}: {
  readonly round: Round;
  readonly step: string | undefined;
  readonly capability: string;
}) {
  const { data, isPending } = useQuery(contractQuery(capability));
  if (isPending) return <Skeleton rows={3} />;
  // Without the contract, the input is written as JSON, and the server validates it.
  return <EditForm round={round} step={step} schema={data?.input ?? {}} />;
}

function StepPicker({ approval, steps }: { readonly approval: string; readonly steps: readonly PlanStep[] }) {
  return (
    <>
      <p className="mt-1 mb-4 text-muted">Choose the step whose input you want to change.</p>
      <ol className="card divide-y divide-line overflow-hidden">
        {steps.map(({ id, number, headline, capability }) => (
          <li key={id}>
            <Link
              to="/approvals/$approval/edit"
              params={{ approval }}
              search={{ step: id }}
              className="flex min-h-11 items-center gap-2.5 px-3.5 py-1.5 -outline-offset-2 hover:bg-sunken"
            >
              <span className="w-6 flex-none text-right text-muted">{number}</span>
              <span className="min-w-0 flex-1 font-semibold">
                <Foreign text={headline} />
              </span>
              <code className="text-muted max-md:hidden">{capability}</code>
              <ChevronRight size={16} aria-hidden="true" className="flex-none text-muted" />
            </Link>
          </li>
        ))}
      </ol>
    </>
  );
}

function NotEditable({ text, approval }: { readonly text: string; readonly approval: string }) {
  return (
    <Notice tone="plain" icon={Info} isAlert>
      {text}{" "}
      <Link to="/approvals/$approval" params={{ approval }} className="link">
        Open it
      </Link>
    </Notice>
  );
}
