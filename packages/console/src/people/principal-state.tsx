import { Ban, CircleCheck, CirclePause, type LucideIcon } from "lucide-react";
import type { PrincipalSummary } from "../api/types.ts";

type State = PrincipalSummary["state"];

const states: Record<State, readonly [LucideIcon, string, string]> = {
  active: [CircleCheck, "Active", "text-good"],
  frozen: [CirclePause, "Frozen", "text-critical"],
  disabled: [Ban, "Disabled", "text-muted"],
};

/** Shows whether a principal can act, as an icon and a word. */
export function StateMark({ state }: { readonly state: State }) {
  const [Icon, word, color] = states[state];
  return (
    <span className={`inline-flex items-center gap-1.5 font-medium whitespace-nowrap ${color}`}>
      <Icon size={15} aria-hidden="true" />
      {word}
    </span>
  );
}

const kinds: Record<PrincipalSummary["kind"], string> = {
  person: "Person",
  agent: "Agent",
  service: "Service",
};

export function formatKind(kind: PrincipalSummary["kind"]): string {
  return kinds[kind];
}
