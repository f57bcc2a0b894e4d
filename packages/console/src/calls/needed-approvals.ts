import type { Call } from "../api/types.ts";

type Guard = Pick<
  NonNullable<NonNullable<Call["waiting"]>["approval"]>["guards"][number],
  "quorum" | "group" | "proof"
>;

/** Says which approvals a call needs. A demand that another demand fulfils is left out. */
export function describeNeededApprovals(guards: readonly Guard[]): string {
  const texts = guards
    .filter((one) => !guards.some((other) => fulfils(other, one) && !fulfils(one, other)))
    .map(describeGuard);
  return [...new Set(texts)].join(" and ");
}

/** Returns whether the approvals that one guard demands are also all that the other demands. */
function fulfils(one: Guard, other: Guard): boolean {
  return (
    one.quorum >= other.quorum &&
    (other.group === undefined || other.group === one.group) &&
    (other.proof === undefined || other.proof === one.proof)
  );
}

function describeGuard({ quorum, group, proof }: Guard): string {
  const count = quorum === 1 ? "1 approval" : `${quorum} approvals`;
  return `${count}${group === undefined ? "" : ` from ${group}`}${proof === undefined ? "" : " with passkey"}`;
}
