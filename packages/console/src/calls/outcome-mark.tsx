import {
  Ban,
  CircleCheck,
  CircleHelp,
  CircleX,
  Hourglass,
  type LucideIcon,
  Minus,
  RefreshCw,
} from "lucide-react";
import type { Call, OutcomeKind } from "../api/types.ts";

const outcomes: Partial<Record<OutcomeKind, readonly [LucideIcon, string]>> = {
  succeeded: [CircleCheck, "text-good"],
  failed: [CircleX, "text-critical"],
  unknown: [CircleHelp, "text-unknown"],
  denied: [Ban, "text-muted"],
  superseded: [RefreshCw, "text-muted"],
};

const waiting: Partial<Record<Call["state"], string>> = {
  asking: "Waits for people",
  checking: "Checks run",
  queued: "Waits for a lock",
  parked: "Frozen",
  offered: "Waits for the agent",
  performing: "Running",
  composing: "Steps run",
  delayed: "Waits to retry",
};

/** Shows how a call ended, or what it waits for, as an icon and a word. */
export function OutcomeMark({ state, outcome }: Pick<Call, "state" | "outcome">) {
  if (!outcome)
    return (
      <span className="inline-flex items-center gap-1.5 font-medium whitespace-nowrap text-ink">
        <Hourglass size={15} aria-hidden="true" />
        {waiting[state] ?? "In progress"}
      </span>
    );
  const [Icon, color] = outcomes[outcome.kind] ?? [Minus, "text-muted"];
  return (
    <span className={`inline-flex items-center gap-1.5 font-medium whitespace-nowrap ${color}`}>
      <Icon size={15} aria-hidden="true" />
      {outcome.kind.charAt(0).toUpperCase() + outcome.kind.slice(1)}
    </span>
  );
}
