import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleCheck, CircleX, Hourglass, Info, RefreshCw } from "lucide-react";
import { lazy, type ReactNode, Suspense } from "react";
import { approversQuery, callQuery } from "../api/queries.ts";
import type { Me, Round } from "../api/types.ts";
import { OutcomeMark } from "../calls/outcome-mark.tsx";
import { Foreign } from "../lib/foreign.tsx";
import { formatTime } from "../lib/time.ts";
import { Notice } from "../ui/states.tsx";

/** Loaded on demand, because few rounds are void and the texts of all codes are long. */
const VoidReason = lazy(() => import("./void-reason.tsx").catch(() => ({ default: () => "" })));

/** Says how the round ended and who decided, or why the reader can't decide. */
export function RoundStatus({ round, me }: { readonly round: Round; readonly me: Me | undefined }) {
  if (round.status !== "open")
    return (
      <div className="my-3">
        <Ended round={round} me={me} />
      </div>
    );
  const own = round.votes.find(({ by }) => by === me?.id);
  const text = own ? `You approved at ${formatTime(own.at)}. Other people decide too.` : explain(round.voter);
  if (text === undefined && round.round === 1) return null;
  return (
    <div className="my-3 space-y-3">
      {round.round > 1 && (
        <Notice tone="high" icon={RefreshCw}>
          <Suspense fallback={null}>
            <VoidReason code={round.voidCode} isNewRound />
          </Suspense>
        </Notice>
      )}
      {text !== undefined && (
        <Notice tone={own ? "good" : "plain"} icon={own ? CircleCheck : Info}>
          {text} {round.voter !== "confirmation" && <WhoCanApprove round={round} />}
        </Notice>
      )}
    </div>
  );
}

/** The people who can still approve, and the way to the call, where a person reminds them or withdraws it. */
function WhoCanApprove({ round: { call, approval } }: { readonly round: Round }) {
  const { data } = useQuery(approversQuery(call, approval));
  const names = data?.approvers.map(({ id }) => id) ?? [];
  return (
    <>
      {names.length > 0 && (
        <>
          Who can: <Foreign text={names.join(", ")} />
          {data?.hasMore && " and others"}.{" "}
        </>
      )}
      <Link to="/calls/$call" params={{ call }} className="link">
        Open the call
      </Link>
    </>
  );
}

function Ended({ round, me }: { readonly round: Round; readonly me: Me | undefined }) {
  const { status, votes, call } = round;
  const last = votes.at(-1);
  const who = last && (
    <>
      {last.by === me?.id ? "you" : <Foreign text={last.by} />} at {formatTime(last.at)}
    </>
  );
  const follow = (
    <>
      <CallOutcome call={call} />{" "}
      <Link to="/calls/$call" params={{ call }} className="link">
        Follow the call
      </Link>
    </>
  );
  const endings: Record<Exclude<Round["status"], "open">, ReactNode> = {
    approved: (
      <Notice tone="good" icon={CircleCheck}>
        <strong>Approved</strong> by {who}. {follow}
      </Notice>
    ),
    denied: (
      <Notice tone="plain" icon={CircleX}>
        <strong>{last?.decision === "return" ? "Returned with instructions" : "Denied"}</strong> by {who}.{" "}
        {follow}
      </Notice>
    ),
    expired: (
      <Notice tone="plain" icon={Hourglass}>
        <strong>Expired</strong> before enough people decided. {follow}
      </Notice>
    ),
    void: (
      <Notice tone="high" icon={RefreshCw}>
        <strong>No longer valid.</strong>{" "}
        <Suspense fallback={null}>
          <VoidReason code={round.voidCode} />
        </Suspense>{" "}
        {follow}
      </Notice>
    ),
  };
  return status === "open" ? null : endings[status];
}

/** Shows the state of the call after its request was decided. An approved call can still fail. */
function CallOutcome({ call }: { readonly call: string }) {
  const { data } = useQuery(callQuery(call));
  return data && <OutcomeMark state={data.state} outcome={data.outcome} finding={data.resolution?.finding} />;
}

function explain(voter: Round["voter"]): string | undefined {
  switch (voter) {
    case "own-call":
      return "You can't approve your own request or your agent's.";
    case "own-edit":
      return "You edited this request, so another person decides.";
    case "not-in-group":
      return "People of another group decide.";
    case "reassigned":
      return "You reassigned this request to another person.";
    case "represented":
      return "Your delegate has approved.";
    case "confirmation":
      return "No other person can decide. Your approval is recorded as a confirmation.";
    default:
      return undefined;
  }
}
