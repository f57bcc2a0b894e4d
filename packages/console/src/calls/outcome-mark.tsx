import {
  Ban,
  CircleCheck,
  CircleHelp,
  CircleX,
  Hourglass,
  type LucideIcon,
  Minus,
  RefreshCw,
  Undo2,
} from "lucide-react";
import type { Call, CallSummary, OutcomeKind } from "../api/types.ts";

const outcomes: Partial<Record<OutcomeKind, readonly [LucideIcon, string]>> = {
  succeeded: [CircleCheck, "text-good"],
  failed: [CircleX, "text-critical"],
  unknown: [CircleHelp, "text-unknown"],
  denied: [Ban, "text-muted"],
  superseded: [RefreshCw, "text-muted"],
};

const words: Partial<Record<OutcomeKind, string>> = { superseded: "Replaced" };

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

const findings = {
  happened: [CircleCheck, "text-good", "Resolved: happened"],
  "not-happened": [Minus, "text-muted", "Resolved: not happened"],
} as const;

/**
 * Shows how a call ended, or what it waits for, as an icon and a word. An unknown outcome that someone has resolved shows
 * what was found out. A call that has been undone shows its undo.
 */
export function OutcomeMark({
  state,
  outcome,
  finding,
  undoneBy,
  undoOutcome,
}: Pick<Call, "state" | "outcome"> & Pick<CallSummary, "finding" | "undoneBy" | "undoOutcome">) {
  if (undoneBy !== undefined)
    return <Mark icon={Undo2} color="text-muted" word={describeUndo(undoOutcome)} />;
  if (!outcome) return <Mark icon={Hourglass} color="text-ink" word={waiting[state] ?? "In progress"} />;
  if (finding !== undefined) {
    const [icon, color, word] = findings[finding];
    return <Mark icon={icon} color={color} word={word} />;
  }
  const { kind } = outcome;
  const [icon, color] = outcomes[kind] ?? [Minus, "text-muted"];
  return (
    <Mark icon={icon} color={color} word={words[kind] ?? kind.charAt(0).toUpperCase() + kind.slice(1)} />
  );
}

function describeUndo(outcome: OutcomeKind | undefined): string {
  switch (outcome) {
    case undefined:
      return "Undo requested";
    case "succeeded":
      return "Undone";
    case "unknown":
      return "Undo unknown";
    default:
      return "Undone in part";
  }
}

function Mark({
  icon: Icon,
  color,
  word,
}: {
  readonly icon: LucideIcon;
  readonly color: string;
  readonly word: string;
}) {
  return (
    <span className={`inline-flex items-center gap-1.5 align-middle font-medium whitespace-nowrap ${color}`}>
      <Icon size={15} aria-hidden="true" />
      {word}
    </span>
  );
}
