import { useQueries, useQuery } from "@tanstack/react-query";
import { CircleCheck, CircleHelp, CircleX } from "lucide-react";
import { useState } from "react";
import { approvalQuery, meQuery } from "../api/queries.ts";
import { useConnection } from "../shell/connection.ts";
import { Notice } from "../ui/states.tsx";
import { listChoices } from "./bundle-item.tsx";
import type { BundleDecision, Choice } from "./use-bundle-decision.ts";

/** Returns the loaded rounds of these approvals, and the decisions that the reader can take about each of them here. */
function useOffers(approvals: readonly string[]) {
  const { data: me } = useQuery(meQuery);
  const rounds = useQueries({
    queries: approvals.map((approval) => approvalQuery(approval)),
    combine: (all) => all.flatMap(({ data }) => (data?.kind === "round" ? [data] : [])),
  });
  return rounds.map((round) => ({ ...round, choices: listChoices(round, me) }));
}

interface BundleProps {
  /** The approvals on the screen. */
  readonly shown: readonly string[];
  readonly decision: BundleDecision;
}

/** Buttons that choose one decision for all requests on the screen. They send nothing. */
export function ChooseAll({ shown, decision }: BundleProps) {
  const offers = useOffers(shown);
  return (
    <div className="flex flex-wrap gap-2 empty:hidden">
      {(["approve", "deny"] as const).map((choice) => {
        const among = offers.filter(({ choices }) => choices.includes(choice));
        return (
          among.length > 0 && (
            <button
              key={choice}
              type="button"
              className="btn"
              onClick={() => {
                for (const { approval, digest } of among)
                  decision.choose(approval, { decision: choice, digest });
              }}
            >
              Choose {choice} for {among.length}
            </button>
          )
        );
      })}
    </div>
  );
}

/** The docked bar of a bundle: one reason for all denials, and the button that sends the decisions. */
export function BundleBar({ shown, decision }: BundleProps) {
  const offers = useOffers(shown);
  const [reason, setReason] = useState("");
  const connection = useConnection();
  const { chosen, state, results } = decision;
  const canDecide = offers.some(({ choices }) => choices.length > 0);
  // Another person may have decided a request in the meantime.
  const sendable = offers.flatMap(({ approval, choices }) => {
    const choice = chosen.get(approval)?.decision;
    return choice !== undefined && choices.includes(choice) ? [{ approval, choice }] : [];
  });
  const denials = sendable.filter(({ choice }) => choice === "deny").length;
  const reasonLabel =
    denials === 1 ? "Reason for the denial (optional)" : "Reason for all denials (optional)";
  const isLocked = sendable.length === 0 || state !== "none" || connection === "offline";
  const send = () =>
    decision.send(
      sendable.map(({ approval }) => approval),
      reason.trim(),
    );
  if (!canDecide && results.size === 0 && state === "none") return null;
  return (
    <section
      aria-label="Your decisions"
      className="flex-none border-t border-line bg-surface px-4 py-3 md:px-6"
    >
      <div className="grid max-w-190 gap-2">
        <SentNotice decision={decision} />
        {canDecide && (
          <form
            className="flex flex-wrap items-center gap-2"
            onSubmit={(event) => {
              event.preventDefault();
              if (!isLocked) send();
            }}
          >
            {denials > 0 && (
              <input
                value={reason}
                onChange={({ target }) => setReason(target.value)}
                maxLength={2_000}
                autoComplete="off"
                aria-label={reasonLabel}
                placeholder={reasonLabel}
                className="h-9 min-w-0 flex-1 basis-48 rounded-control border border-edge bg-surface px-2 max-md:h-11"
              />
            )}
            <button type="submit" className="btn btn-primary max-md:w-full" aria-disabled={isLocked}>
              {state === "sending" ? "Sending…" : formatSend(sendable.map(({ choice }) => choice))}
            </button>
          </form>
        )}
      </div>
    </section>
  );
}

/** Returns the words of the button, such as `Approve 5 and deny 2 requests`. */
function formatSend(decisions: readonly Choice[]): string {
  const count = (choice: Choice) => decisions.filter((one) => one === choice).length;
  const parts = [
    count("approve") > 0 ? `approve ${count("approve")}` : "",
    count("deny") > 0 ? `deny ${count("deny")}` : "",
  ].filter((part) => part !== "");
  if (parts.length === 0) return "Choose decisions first";
  const text = `${parts.join(" and ")} ${decisions.length === 1 ? "request" : "requests"}`;
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function SentNotice({
  decision: { state, problem, results, lookUp },
}: {
  readonly decision: BundleDecision;
}) {
  if (state === "unknown")
    return (
      <Notice tone="unknown" icon={CircleHelp} isAlert>
        <strong>Not known which decisions arrived.</strong> The server did not answer in time.{" "}
        <button type="button" className="link" onClick={lookUp}>
          Look it up
        </button>
      </Notice>
    );
  if (problem !== undefined)
    return (
      <Notice tone="failed" icon={CircleX} isAlert>
        <strong>Nothing was decided.</strong> {problem}
      </Notice>
    );
  if (results.size === 0) return null;
  const failed = [...results.values()].filter((one) => one.problem !== undefined).length;
  return (
    <Notice tone={failed > 0 ? "failed" : "good"} icon={failed > 0 ? CircleX : CircleCheck}>
      <strong>
        {results.size - failed} {results.size - failed === 1 ? "decision" : "decisions"} recorded.
      </strong>{" "}
      {failed > 0 && `${failed} not recorded: see the requests above.`}
    </Notice>
  );
}
