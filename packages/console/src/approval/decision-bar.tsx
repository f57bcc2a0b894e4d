import { Link, useNavigate } from "@tanstack/react-router";
import { Fingerprint, Lock, MessageCircle, Pencil, Undo2 } from "lucide-react";
import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import type { Me, Round } from "../api/types.ts";
import { useLacksPasskey } from "../passkeys/use-lacks-passkey.ts";
import { countApproved, formatLeftOut, type PlanChoice, usePlanChoice } from "../plans/plan-choice.ts";
import { useConnection } from "../shell/connection.ts";
import { useItemActions } from "../shell/item-actions.ts";
import { useKeys } from "../shell/use-keys.ts";
import { RiskMark } from "../ui/risk.tsx";
import { preloadSheets } from "../ui/sheet.tsx";
import { AnswerField, parseAnswer, readAnswerRequest } from "./answer-field.tsx";
import { ConfirmSheet } from "./confirm-sheet.tsx";
import { DecisionNotice } from "./decision-notice.tsx";
import { explainLock } from "./lock-reason.ts";
import { useDecision } from "./use-decision.ts";
import { type WordsKind, WordsSheet } from "./words-sheet.tsx";

interface DecisionBarProps {
  readonly round: Round;
  readonly me: Me | undefined;
  readonly hasSeenAll: boolean;
  /** Whether the last refresh of the round failed. */
  readonly isOutdated: boolean;
}

const lines = {
  low: "border-t border-line",
  medium: "border-t border-line",
  high: "border-t-[3px] border-high",
  critical: "border-t-[3px] border-critical",
};

/** The docked decision. Deny is always one press. What an approval asks of the person depends on the risk. */
export function DecisionBar({ round, me, hasSeenAll, isOutdated }: DecisionBarProps) {
  const connection = useConnection();
  const decision = useDecision(round);
  const choice = usePlanChoice();
  const lacksPasskey = useLacksPasskey(round, me);
  const [typed, setTyped] = useState("");
  const [open, setOpen] = useState<"confirm" | WordsKind>();
  const [answerText, setAnswerText] = useState("");
  const navigate = useNavigate();
  const approveButton = useRef<HTMLButtonElement>(null);
  const denyButton = useRef<HTMLButtonElement>(null);
  const reasonId = useId();
  useEffect(preloadSheets, []);
  const edit = () => void navigate({ to: "/approvals/$approval/edit", params: { approval: round.approval } });
  useKeys({
    a: () => approveButton.current?.focus(),
    d: () => denyButton.current?.focus(),
    r: () => setOpen("return"),
    m: () => setOpen("comment"),
    e: () => edit(),
  });
  const isDecidable = round.status === "open";
  useItemActions(
    isDecidable
      ? [
          { name: "Go to the approve button", run: () => approveButton.current?.focus() },
          { name: "Go to the deny button", run: () => denyButton.current?.focus() },
          { name: "Return with instructions", run: () => setOpen("return") },
          { name: "Add a comment", run: () => setOpen("comment") },
          { name: "Edit the request", run: edit },
        ]
      : [],
  );

  const hasVoted = round.votes.some(({ by }) => by === me?.id);
  const isOpen = round.status === "open" && Date.parse(round.expiresAt) > Date.now();
  if (!isOpen && decision.state !== "unknown") return null;
  const canDeny = round.voter !== undefined && round.voter !== "own-call" && !hasVoted;
  const canApprove = (round.voter === "approver" || round.voter === "confirmation") && !hasVoted;
  const risk = round.risk ?? "critical";
  const isGrave = risk === "high" || risk === "critical";
  const request = canApprove ? readAnswerRequest(round) : undefined;
  const answer = request && parseAnswer(request, answerText);
  const lock = explainLock({
    round,
    connection,
    hasSeenAll,
    typed,
    decision: decision.state,
    isOutdated,
    choice,
    hasAnswer: request === undefined || answer !== undefined,
    lacksPasskey,
  });
  const leftOut = choice?.leftOut.map(({ id }) => id) ?? [];
  const send = () =>
    decision.send({
      decision: "approve",
      ...(leftOut.length > 0 && { declined: leftOut }),
      ...(answer && { answer: answer.value }),
    });
  const approve = () => {
    if (lock !== undefined) return;
    if (isGrave) setOpen("confirm");
    else send();
  };
  const mustType = canApprove && risk === "critical" && round.confirmation !== undefined && hasSeenAll;
  const isBusy = ["signing", "sending", "unknown"].includes(decision.state) || connection === "offline";
  const verb = request ? "Send answer" : round.voter === "confirmation" ? "Confirm" : "Approve";
  const words = `${formatApprove(verb, choice)}${round.needsPasskey ? " with passkey" : ""}`;

  return (
    <section
      aria-label="Your decision"
      className={`bg-surface px-4 pt-2.5 pb-3 md:px-6 md:pt-3 md:pb-3.5 ${lines[risk]}`}
    >
      <DecisionNotice decision={decision} />
      {canApprove && (
        <div className="flex flex-wrap items-center gap-x-3">
          <p
            id={reasonId}
            aria-live="polite"
            className="mb-2 flex flex-wrap items-center gap-x-2 text-sm empty:hidden"
          >
            {isGrave && <RiskMark risk={risk} />}
            {lock ?? explainNext(risk, round.needsPasskey)}
            {lacksPasskey && (
              <Link to="/passkeys" className="link max-md:py-2.5">
                Enrol a passkey
              </Link>
            )}
            {choice && leftOut.length > 0 && <strong>{formatLeftOut(choice)}</strong>}
          </p>
          {mustType && (
            <input
              value={typed}
              onChange={({ target }) => setTyped(target.value)}
              aria-label={`Type ${round.confirmation}`}
              autoComplete="off"
              spellCheck={false}
              className="mb-2 h-11 w-full rounded-control border border-edge bg-surface px-2 font-mono md:ml-auto md:h-9 md:w-44"
            />
          )}
        </div>
      )}
      {request && <AnswerField request={request} text={answerText} onChange={setAnswerText} />}
      <div className="flex flex-wrap items-center gap-2">
        <div className="flex w-full justify-between gap-2 md:order-2 md:w-auto">
          {canDeny && (
            <Small icon={Undo2} onPress={() => setOpen("return")} isDisabled={isBusy}>
              Return
            </Small>
          )}
          <Link
            to="/approvals/$approval/edit"
            params={{ approval: round.approval }}
            className="btn px-2.5 max-md:border-transparent max-md:px-1"
          >
            <Pencil size={16} aria-hidden="true" />
            Edit
          </Link>
          <Small
            icon={MessageCircle}
            onPress={() => setOpen("question")}
            isDisabled={connection === "offline"}
          >
            Ask
          </Small>
        </div>
        {canDeny && (
          <button
            ref={denyButton}
            type="button"
            className="btn btn-deny max-md:flex-2 md:order-1"
            aria-disabled={isBusy}
            onClick={() => isBusy || decision.send({ decision: "deny" })}
          >
            Deny
          </button>
        )}
        {canApprove && (
          <button
            ref={approveButton}
            type="button"
            aria-disabled={lock !== undefined}
            aria-describedby={reasonId}
            className={`btn max-md:flex-3 md:order-3 md:ml-auto ${risk === "critical" ? "btn-critical" : "btn-primary"}`}
            onClick={approve}
          >
            <ApproveIcon isLocked={lock !== undefined} needsPasskey={round.needsPasskey} />
            {decision.state === "sending" ? "Sending…" : `${words}${isGrave ? "…" : ""}`}
          </button>
        )}
      </div>
      {open === "confirm" && (
        <ConfirmSheet
          round={round}
          onClose={() => setOpen(undefined)}
          onApprove={() => {
            setOpen(undefined);
            send();
          }}
        />
      )}
      {open !== undefined && open !== "confirm" && (
        <WordsSheet
          kind={open}
          round={round}
          onClose={() => setOpen(undefined)}
          onReturn={(reason) => {
            setOpen(undefined);
            decision.send({ decision: "return", reason });
          }}
        />
      )}
    </section>
  );
}

/** Returns the words of the button. For a plan, they count the steps: `Approve 15 of 17 steps`. */
function formatApprove(verb: string, choice: PlanChoice | undefined): string {
  if (!choice) return verb;
  const all = choice.steps.length;
  const approved = countApproved(choice);
  if (approved < all) return `${verb} ${approved} of ${all} steps`;
  return all === 1 ? `${verb} the step` : `${verb} ${all} steps`;
}

/** Says what follows after the press on the button. */
function explainNext(risk: keyof typeof lines, needsPasskey = false): string {
  if (needsPasskey) return "You then confirm with your passkey.";
  return risk === "high" ? "You confirm once more." : "";
}

function ApproveIcon({
  isLocked,
  needsPasskey = false,
}: {
  readonly isLocked: boolean;
  readonly needsPasskey: boolean | undefined;
}) {
  const Icon = isLocked ? Lock : needsPasskey ? Fingerprint : undefined;
  return Icon && <Icon size={16} aria-hidden="true" />;
}

function Small({
  icon: Icon,
  onPress,
  isDisabled,
  children,
}: {
  readonly icon: typeof Undo2;
  readonly onPress: () => void;
  readonly isDisabled: boolean;
  readonly children: ReactNode;
}) {
  return (
    <button
      type="button"
      className="btn px-2.5 max-md:border-transparent max-md:px-1"
      aria-disabled={isDisabled}
      onClick={() => isDisabled || onPress()}
    >
      <Icon size={16} aria-hidden="true" />
      {children}
    </button>
  );
}
