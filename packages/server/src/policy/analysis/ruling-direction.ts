import { type RulingKind, rulingKinds } from "@paraph/core";

/** A number of people who must approve, and the group to which they must belong. */
export interface RequiredApprovers {
  readonly quorum: number;
  readonly group?: string;
}

/** Whether a changed ruling demands less or more than before. `other`: it asks other people. */
export type RulingDirection = "looser" | "tighter" | "other";

interface ComparedRuling {
  readonly kind: RulingKind;
  /** Empty if the ruling asks no people. */
  readonly approvers: readonly RequiredApprovers[];
}

/** Compares two different rulings. If neither includes all demands of the other, the direction is `other`. */
export function compareRulings(was: ComparedRuling, wouldBe: ComparedRuling): RulingDirection {
  const strictness = rulingKinds.indexOf(wouldBe.kind) - rulingKinds.indexOf(was.kind);
  if (strictness !== 0) return strictness > 0 ? "tighter" : "looser";
  if (includes(wouldBe.approvers, was.approvers)) return "tighter";
  return includes(was.approvers, wouldBe.approvers) ? "looser" : "other";
}

/** Whether approvals that meet the first demands always meet the second ones too. */
function includes(demands: readonly RequiredApprovers[], others: readonly RequiredApprovers[]): boolean {
  return others.every((other) =>
    demands.some(
      ({ quorum, group }) => quorum >= other.quorum && (other.group === undefined || group === other.group),
    ),
  );
}
