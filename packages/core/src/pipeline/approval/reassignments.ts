import type { Call } from "../../call.ts";
import { eventsOfKind } from "../../event.ts";

/**
 * A reassignment of a vote to another person. That person's vote then also counts in these groups, but in no other
 * groups of the approver.
 */
export interface Reassignment {
  readonly by: string;
  readonly to: string;
  readonly groups: readonly string[];
  /** The people who had earlier reassigned their vote to the approver. */
  readonly inPlaceOf: readonly string[];
}

/** A voter, and the people whom the voter represents. Only people whose groups the vote needs are listed. */
export interface Represented {
  readonly by: string;
  readonly inPlaceOf: readonly string[];
  /** The steps that the voter left out. */
  readonly declined?: readonly string[];
}

/** Returns the reassignments of this round. [TRUST 33] Those of people who are frozen or disabled now do not count. */
export function listReassignments(
  { events, barredVoters = [] }: Pick<Call, "events" | "barredVoters">,
  round: number,
): readonly Reassignment[] {
  return eventsOfKind(events, "reassigned")
    .filter(({ data }) => data.round === round && !barredVoters.includes(data.by))
    .map(({ data: { by, to, groups = [], inPlaceOf = [] } }) => ({ by, to, groups, inPlaceOf }));
}

/**
 * Returns the people who approved this round, and the people whom each of them represented. Only a person's last vote
 * counts.
 */
export function listRepresented({ events }: Pick<Call, "events">, round: number): readonly Represented[] {
  const cast = eventsOfKind(events, "voted").filter(({ data }) => data.round === round);
  return [
    ...new Map(
      cast.map(({ data: { by, inPlaceOf = [], declined = [] } }) => [by, { by, inPlaceOf, declined }]),
    ).values(),
  ];
}
