import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { messagesQuery } from "../api/queries.ts";
import type { Me, Round } from "../api/types.ts";
import { Foreign, Marked } from "../lib/foreign.tsx";
import { formatTime } from "../lib/time.ts";
import { readSteps } from "../plans/plan-step.ts";
import { PlanSummary } from "../plans/plan-summary.tsx";
import { PrincipalName } from "../ui/principal.tsx";
import { RiskTag } from "../ui/risk.tsx";
import { Changes } from "./changes.tsx";
import { CheckList, NotUndoneList } from "./evidence.tsx";
import { Fact, TimeLeft } from "./fact.tsx";
import { RoundStatus } from "./round-status.tsx";
import { SinceLastRound } from "./since-last-round.tsx";
import type { Reveal } from "./use-reveal.ts";

const effects = { read: "Read", write: "Write", destroy: "Destructive" } as const;

/** The body of an approval: the fact, the people, what will change, and why it is asked. */
export function ApprovalBody({
  round,
  me,
  reveal,
}: {
  readonly round: Round;
  readonly me: Me | undefined;
  readonly reveal: Reveal;
}) {
  const steps = readSteps(round);
  const isDecider = round.voter === "approver" || round.voter === "confirmation";
  const { contract, risk, purpose, compressedState, guards, checks, notUndone, principal } = round;
  return (
    <div className="max-w-240 xl:max-w-none">
      <div className="flex flex-wrap items-center gap-2">
        <RiskTag risk={risk} />
        {contract && (
          <span
            className={`tag ${contract.effect === "destroy" ? "bg-critical-soft text-critical" : "bg-sunken text-muted"}`}
          >
            {effects[contract.effect]}
          </span>
        )}
        <code className="text-muted max-md:hidden">
          {round.capability}
          {contract && ` v${contract.version}`}
        </code>
        {round.status === "open" && <TimeLeft expiresAt={round.expiresAt} />}
      </div>
      <Fact text={round.headline} />
      {steps && <PlanSummary steps={steps} />}
      <RoundStatus round={round} me={me} />
      <People round={round} />
      {round.editedBy !== undefined && (
        <p className="mb-3 text-sm text-muted">
          Edited by <Foreign text={round.editedBy} />
        </p>
      )}
      <SinceLastRound round={round} />
      {/* Revealed values count as seen only after they were on the screen themselves. */}
      <Changes key={reveal.revealed.length} round={{ ...round, effect: contract?.effect }} reveal={reveal} />
      {notUndone.length > 0 && (
        <Section title="This does not undo">
          <NotUndoneList notUndone={notUndone} />
        </Section>
      )}
      <div className="mt-4 grid gap-x-6 gap-y-4 xl:grid-cols-2">
        <Section title={isDecider ? "Why you are asked" : "Why people are asked"}>
          <ul className="grid gap-1 text-sm">
            {guards.map(({ id, sentence, quorum, group }) => (
              <li key={id}>
                <Foreign text={sentence} />{" "}
                <span className="text-muted">
                  {quorum === 1 ? "One approval" : `${quorum} approvals`}
                  {group !== undefined && ` from ${group}`}.{" "}
                  <code className="[overflow-wrap:anywhere]">{id}</code>
                </span>
              </li>
            ))}
          </ul>
        </Section>
        <Section
          title={
            <>
              Reason given by <Foreign text={principal.id} />{" "}
              <span className="font-normal text-muted">(not verified)</span>
            </>
          }
        >
          {purpose ? (
            <blockquote className="border-l-[3px] border-line pl-3 text-sm whitespace-pre-wrap [overflow-wrap:anywhere]">
              <Marked text={purpose.text} />
            </blockquote>
          ) : (
            <p className="text-sm text-muted">No reason given.</p>
          )}
        </Section>
        {compressedState && (
          <Section
            title={
              <>
                State given by <Foreign text={principal.id} />{" "}
                <span className="font-normal text-muted">(not verified)</span>
              </>
            }
          >
            <blockquote className="max-h-60 overflow-y-auto border-l-[3px] border-line pl-3 text-sm whitespace-pre-wrap [overflow-wrap:anywhere]">
              <Marked text={compressedState.text} />
            </blockquote>
          </Section>
        )}
        {checks.length > 0 && (
          <Section title="Checks">
            <CheckList checks={checks} />
          </Section>
        )}
        <Comments call={round.call} />
      </div>
      <p className="mt-4 text-xs text-muted">
        Exactly this: <code>{round.fingerprint.replaceAll(/.{4}(?=.)/g, "$& ")}</code>
        <span className="md:hidden"> · {round.capability}</span>
      </p>
    </div>
  );
}

function Section({ title, children }: { readonly title: ReactNode; readonly children: ReactNode }) {
  return (
    <section className="min-w-0">
      <h2 className="mb-1 font-semibold">{title}</h2>
      {children}
    </section>
  );
}

function People({ round }: { readonly round: Round }) {
  const { principal, guards, votes } = round;
  const approvals = votes.filter(({ decision }) => decision === "approve");
  const needed = Math.max(1, ...guards.map(({ quorum }) => quorum));
  const groups = [...new Set(guards.flatMap(({ group }) => group ?? []))].join(", ");
  return (
    <dl className="my-3 flex flex-wrap rounded-card border border-line max-md:border-0">
      <Cell name="Requester">
        <PrincipalName id={principal.id} kind={principal.kind} />
        {principal.onBehalfOf !== undefined && (
          <span>
            {" "}
            for <Foreign text={principal.onBehalfOf} />
          </span>
        )}
      </Cell>
      {principal.owner !== undefined && (
        <Cell name="Owner">
          <Foreign text={principal.owner} />
        </Cell>
      )}
      <Cell name={`Approvals${groups && ` from ${groups}`}`}>
        <span className="font-semibold">
          {approvals.length} of {needed}
        </span>{" "}
        {approvals.map(({ by, at }) => (
          <span key={by} className="text-muted">
            <Foreign text={by} />, {formatTime(at)}{" "}
          </span>
        ))}
      </Cell>
    </dl>
  );
}

function Cell({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="min-w-0 flex-1 basis-40 border-line py-1 max-md:basis-full md:border-l md:px-3.5 md:py-2 md:first:border-l-0 max-md:flex max-md:items-center max-md:gap-2">
      <dt className="text-xs font-medium text-muted max-md:w-20 max-md:flex-none md:mb-1">{name}</dt>
      <dd className="min-w-0 md:min-h-6">{children}</dd>
    </div>
  );
}

function Comments({ call }: { readonly call: string }) {
  const { data } = useQuery(messagesQuery(call));
  return (
    <Section title="Comments">
      {data && data.messages.length > 0 ? (
        <ul className="grid gap-2 text-sm">
          {data.messages.map(({ message, by, at, text, kind }) => (
            <li key={message}>
              <span className="font-semibold">
                <Foreign text={by} />
              </span>{" "}
              <span className="text-muted">
                {kind === "comment" ? "" : `${kind}, `}
                {formatTime(at)}
              </span>
              <p className="whitespace-pre-wrap [overflow-wrap:anywhere]">
                {text === undefined ? "Erased" : <Marked text={text} />}
              </p>
            </li>
          ))}
        </ul>
      ) : (
        <p className="text-sm text-muted">No comments.</p>
      )}
    </Section>
  );
}
