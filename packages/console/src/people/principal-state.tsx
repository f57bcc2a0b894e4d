import { Ban, CircleCheck, CirclePause, type LucideIcon, MailPlus } from "lucide-react";
import type { PrincipalSummary } from "../api/types.ts";

type State = PrincipalSummary["state"];

const states: Record<State, readonly [LucideIcon, string, string]> = {
  active: [CircleCheck, "Active", "text-good"],
  invited: [MailPlus, "Invited", "text-muted"],
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

/** The groups that are roles of Paraph, with the name of the role and what it adds to the rights of a person. */
export const roleNames: Readonly<Record<string, { readonly name: string; readonly right: string }>> = {
  "paraph:admins": {
    name: "Administrator",
    right: "Administers Paraph. Another person approves whatever gives anyone more access.",
  },
  "paraph:auditors": {
    name: "Auditor",
    right: "Sees the policies, the people and all activity of the tenant.",
  },
  "paraph:break-glass": {
    name: "Break-glass",
    right: "Uses break-glass in an emergency. Every call that it lets through is on record.",
  },
};

/** Names the roles of a person, such as `Administrator, Auditor`. */
export function formatRoles(groups: readonly string[]): string {
  return Object.entries(roleNames)
    .flatMap(([group, { name }]) => (groups.includes(group) ? [name] : []))
    .join(", ");
}
