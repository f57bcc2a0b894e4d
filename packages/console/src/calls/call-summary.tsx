import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Download, Undo2 } from "lucide-react";
import type { ReactNode } from "react";
import { callEventsQuery, callQuery } from "../api/queries.ts";
import type { Call } from "../api/types.ts";
import { Foreign, formatJson, Marked } from "../lib/foreign.tsx";
import { formatDuration, formatExactTime, formatTime } from "../lib/time.ts";
import { describeDecision, readEventKind } from "./describe-event.ts";
import { OutcomeReason } from "./outcome-reason.tsx";
import { hiddenUndoText, UndoLink } from "./undo-link.tsx";
import { WithdrawButton } from "./withdraw-button.tsx";

/** The requester of a call, the reason why it waits or ended, the words of people about it, and the links to act on it. */
export function CallSummary({ call }: { readonly call: Call }) {
  const { waiting, refusal, outcome, resolution } = call;
  return (
    <div className="mb-3 grid max-w-240 gap-1.5 text-muted">
      <Requester call={call} />
      <Purpose call={call} />
      <UndoneCall call={call} />
      {waiting && <p className="text-text">{waiting.how.split(". ")[0]}.</p>}
      {refusal ? (
        <p className="text-text">
          <Foreign text={refusal.sentence} />
        </p>
      ) : (
        // A finding replaces the doubt that the outcome left. The timeline keeps both.
        outcome &&
        !resolution && (
          <p className="empty:hidden">
            <OutcomeReason outcome={outcome} />
          </p>
        )
      )}
      <LastDecision call={call} />
      <Resolution call={call} />
      {call.undoneBy !== undefined && <UndoLink undo={call.undoneBy} />}
      {call.undo !== undefined && call.links.undo === undefined && call.undoneBy === undefined && (
        <p>{hiddenUndoText}</p>
      )}
      <Actions call={call} />
    </div>
  );
}

function Requester({ call: { principal, createdAt, closedAt } }: { readonly call: Call }) {
  return (
    <p>
      Requested by <Foreign text={principal.id} />
      {principal.onBehalfOf !== undefined && (
        <>
          {" "}
          for <Foreign text={principal.onBehalfOf} />
        </>
      )}
      {principal.owner !== undefined && (
        <>
          , owner <Foreign text={principal.owner} />
        </>
      )}
      ,{" "}
      <time dateTime={createdAt} title={formatExactTime(createdAt)}>
        {formatTime(createdAt)}
      </time>
      {closedAt !== undefined && `, ${formatDuration(Date.parse(closedAt) - Date.parse(createdAt))} in all`}.
    </p>
  );
}

/** The reason of the requester, in the requester's own words. */
function Purpose({ call: { purpose, principal } }: { readonly call: Call }) {
  if (!purpose) return null;
  return (
    <div>
      <p>
        Reason given by <Foreign text={principal.id} /> (not verified):
      </p>
      <Quotation text={purpose.text} />
    </div>
  );
}

/** The call that this one undoes, if it is an undo. */
function UndoneCall({ call: { call } }: { readonly call: Call }) {
  const { data } = useQuery(callEventsQuery(call));
  const undoes = data?.events.find(({ type }) => readEventKind(type) === "accepted")?.data.undoes;
  const undone = useQuery({ ...callQuery(String(undoes)), enabled: typeof undoes === "string" }).data;
  if (!undone) return null;
  return (
    <p>
      Undoes{" "}
      <Link to="/calls/$call" params={{ call: undone.call }} className="link">
        <Foreign text={undone.headline} />
      </Link>
    </p>
  );
}

/** The last vote or withdrawal, with the reason that the person gave. */
function LastDecision({ call }: { readonly call: Call }) {
  const { data } = useQuery({ ...callEventsQuery(call.call), enabled: call.approval !== undefined });
  const last = data?.events.findLast(({ type }) => ["voted", "withdrawn"].includes(readEventKind(type)));
  if (!last) return null;
  // The payload has the last reason that anyone gave. The event commits to it if it is the reason of this decision.
  const reason = last.data.reason === undefined ? undefined : call.reason;
  return (
    <Said
      what={
        <>
          <Foreign text={String(last.data.by)} />{" "}
          {readEventKind(last.type) === "voted" ? describeDecision(last.data) : "withdrew the call"}
        </>
      }
      at={last.time}
      reason={reason}
    />
  );
}

/** The finding of a person or a probe about an unknown outcome. */
function Resolution({ call: { resolution } }: { readonly call: Call }) {
  if (!resolution) return null;
  const { by, at, how, finding, reason } = resolution;
  const result = finding === "happened" ? "It happened" : "It did not happen";
  return (
    <Said
      what={
        how === "person" ? (
          <>
            <strong className="font-semibold">{result}.</strong> <Foreign text={by} /> found this out
          </>
        ) : (
          <>
            <strong className="font-semibold">{result}.</strong> The system told it to a probe by{" "}
            <Foreign text={by} />
          </>
        )
      }
      at={at}
      reason={reason}
    />
  );
}

/** An act of a person about the call, and the reason in that person's own words. */
function Said({
  what,
  at,
  reason,
}: {
  readonly what: ReactNode;
  readonly at: string;
  readonly reason: unknown;
}) {
  return (
    <div className="text-text">
      <p>
        {what},{" "}
        <time dateTime={at} title={at}>
          {formatTime(at)}
        </time>
        .
      </p>
      {reason !== undefined && <Quotation text={typeof reason === "string" ? reason : formatJson(reason)} />}
    </div>
  );
}

function Quotation({ text }: { readonly text: string }) {
  return (
    <blockquote className="mt-1 max-w-190 border-l-[3px] border-line pl-3 whitespace-pre-wrap text-text [overflow-wrap:anywhere]">
      <Marked text={text} />
    </blockquote>
  );
}

function Actions({ call: one }: { readonly call: Call }) {
  const { call, approval, links } = one;
  return (
    <p className="flex flex-wrap items-center gap-x-4 gap-y-2">
      {approval && (
        <Link to="/approvals/$approval" params={{ approval: approval.id }} className="link">
          Open the approval
        </Link>
      )}
      {links.receipt !== undefined && (
        <a
          href={links.receipt}
          download={`${call}.receipt.json`}
          className="link inline-flex items-center gap-1"
        >
          <Download size={15} aria-hidden="true" />
          Download receipt
        </a>
      )}
      {links.receipt !== undefined && (
        <Link to="/receipts" search={{ call }} className="link">
          Verify receipt
        </Link>
      )}
      {links.undo !== undefined && (
        <Link to="/calls/$call/undo" params={{ call }} className="btn">
          <Undo2 size={16} aria-hidden="true" />
          Undo…
        </Link>
      )}
      <WithdrawButton call={one} />
    </p>
  );
}
