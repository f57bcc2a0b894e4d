import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleX } from "lucide-react";
import { approvalQuery, meQuery } from "../api/queries.ts";
import type { Me, Round } from "../api/types.ts";
import { ChangeList } from "../approval/changes.tsx";
import { CheckList, NotUndoneList } from "../approval/evidence.tsx";
import { RoundStatus } from "../approval/round-status.tsx";
import { Foreign } from "../lib/foreign.tsx";
import { formatDuration, useNow } from "../lib/time.ts";
import { readSteps } from "../plans/plan-step.ts";
import { RiskMark } from "../ui/risk.tsx";
import { LoadError, Notice, Skeleton } from "../ui/states.tsx";
import type { BundleDecision, Choice } from "./use-bundle-decision.ts";

/** One request of a bundle: its fact, everything that it would change, and the decision about it. */
export function BundleItem({
  approval,
  number,
  decision,
}: {
  readonly approval: string;
  readonly number: number;
  readonly decision: BundleDecision;
}) {
  const { data, isPending, error, refetch } = useQuery(approvalQuery(approval));
  const { data: me } = useQuery(meQuery);
  if (isPending) return <Skeleton rows={2} />;
  if (!data) return <LoadError error={error} onRetry={() => void refetch()} />;
  if (data.kind === "past-round")
    return (
      <div className="card p-3.5">
        The request was replaced by a newer one.{" "}
        <Link to="/approvals/$approval" params={{ approval: data.newest }} className="link">
          Review it
        </Link>
      </div>
    );
  return <RoundCard round={data} number={number} me={me} decision={decision} />;
}

function RoundCard({
  round,
  number,
  me,
  decision,
}: {
  readonly round: Round;
  readonly number: number;
  readonly me: Me | undefined;
  readonly decision: BundleDecision;
}) {
  const { approval, risk, purpose, masked, checks, notUndone } = round;
  const problem = decision.results.get(approval)?.problem;
  return (
    <section aria-labelledby={`fact-${approval}`} className="card overflow-hidden">
      <div className="grid gap-1 border-b border-line px-3.5 py-2.5">
        <h2 id={`fact-${approval}`} className="text-lg font-semibold">
          <Foreign text={round.headline} />
        </h2>
        <p className="flex flex-wrap items-center gap-x-3 text-sm text-muted">
          {risk && <RiskMark risk={risk} />}
          <TimeLeft round={round} />
          <Link to="/approvals/$approval" params={{ approval }} className="link max-md:py-2">
            Open<span className="sr-only"> request {number}</span>
          </Link>
        </p>
      </div>
      {readSteps(round) ? (
        <p className="px-3.5 py-2.5">Open the plan to see its steps.</p>
      ) : (
        <ChangeList round={round} />
      )}
      {masked.length > 0 && (
        <p className="border-t border-line px-3.5 py-2 text-sm text-muted">
          Hidden: <Foreign text={masked.join(", ")} />. Open the request to reveal it.
        </p>
      )}
      {notUndone.length > 0 && (
        <div className="border-t border-line px-3.5 py-2">
          <h3 className="text-sm font-semibold">This does not undo</h3>
          <NotUndoneList notUndone={notUndone} />
        </div>
      )}
      {checks.length > 0 && (
        <div className="border-t border-line px-3.5 py-2">
          <CheckList checks={checks} />
        </div>
      )}
      {purpose && (
        <p className="border-t border-line px-3.5 py-2 text-sm">
          <span className="text-muted">Reason (not verified):</span> <Foreign text={purpose.text} />
        </p>
      )}
      <div className="border-t border-line px-3.5 py-2.5 empty:hidden">
        {problem && (
          <Notice tone="failed" icon={CircleX} isAlert>
            <strong>Not recorded.</strong> {problem.detail}
          </Notice>
        )}
        <RoundStatus round={round} me={me} />
        <Choices round={round} number={number} me={me} decision={decision} />
      </div>
    </section>
  );
}

function TimeLeft({ round: { status, expiresAt } }: { readonly round: Round }) {
  const left = Date.parse(expiresAt) - useNow(expiresAt);
  if (status !== "open") return null;
  return <span>{left > 0 ? `${formatDuration(left)} left` : "Expired"}</span>;
}

const words = { approve: "Approve", deny: "Deny" } as const;

function Choices({
  round,
  number,
  me,
  decision,
}: {
  readonly round: Round;
  readonly number: number;
  readonly me: Me | undefined;
  readonly decision: BundleDecision;
}) {
  const { approval, digest } = round;
  const possible = listChoices(round, me);
  if (possible.length === 0) return null;
  const chosen = decision.chosen.get(approval)?.decision;
  const options = [[undefined, "Leave open"], ...possible.map((one) => [one, words[one]] as const)] as const;
  return (
    <fieldset className="flex flex-wrap items-center gap-x-5" disabled={decision.state === "sending"}>
      <legend className="sr-only">Your decision about request {number}</legend>
      {options.map(([choice, name]) => (
        <label key={name} className="flex min-h-8 cursor-pointer items-center gap-2 max-md:min-h-11">
          <input
            type="radio"
            name={approval}
            checked={choice === chosen}
            onChange={() => decision.choose(approval, choice && { decision: choice, digest })}
            className="size-4 accent-ink"
          />
          {name}
        </label>
      ))}
      {!possible.includes("approve") && isVoter(round) && (
        <span className="text-sm text-muted">{explainSeparate(round)} Open it to approve.</span>
      )}
    </fieldset>
  );
}

/** Returns the decisions that a person can take here. An approval of high risk needs the screen of the request. */
export function listChoices(round: Round, me: Me | undefined): readonly Choice[] {
  const { status, voter, votes } = round;
  const hasVoted = votes.some(({ by }) => by === me?.id);
  if (status !== "open" || voter === undefined || voter === "own-call" || hasVoted) return [];
  return isVoter(round) && explainSeparate(round) === undefined ? ["approve", "deny"] : ["deny"];
}

function isVoter({ voter }: Round): boolean {
  return voter === "approver" || voter === "confirmation";
}

/** Returns why a request can be approved only on its own screen, or undefined. */
function explainSeparate(round: Round): string | undefined {
  const { risk, needsPasskey, guards, preview } = round;
  if (needsPasskey) return "It needs your passkey.";
  if (guards.some(({ id }) => id === "capability:answer")) return "It needs an answer.";
  if (readSteps(round)) return "It is a plan.";
  if (risk !== "low" && risk !== "medium") return "It is of high risk.";
  return preview?.changes.some(({ incomplete }) => incomplete) ? "Its preview is incomplete." : undefined;
}
