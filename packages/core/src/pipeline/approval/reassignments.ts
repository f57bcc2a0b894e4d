import type { Call } from "../../call.ts";
import type { JsonObject } from "../../json.ts";

/** An approver asked another person in their place: that person counts in these groups as well, and in no others. */
export interface Reassignment {
  readonly by: string;
  readonly to: string;
  readonly groups: readonly string[];
  /** People who had handed the question over to the giver. */
  readonly inPlaceOf: readonly string[];
}

/** A vote, and the people whose groups it needs. */
export interface Represented {
  readonly by: string;
  readonly inPlaceOf: readonly string[];
}

/** The hand-overs of this round. [TRUST 33] Those of people who are frozen or disabled now do not count. */
export function listReassignments(
  { events, barredVoters = [] }: Pick<Call, "events" | "barredVoters">,
  round: number,
): readonly Reassignment[] {
  return events
    .filter(({ kind, data }) => kind === "handed-over" && data.round === round)
    .map(({ data }) => ({ ...toRepresented(data), to: String(data.to), groups: readTexts(data, "groups") }))
    .filter(({ by }) => !barredVoters.includes(by));
}

/** Lists the people who approved this round, by their last vote, and the people each of them represented. */
export function listRepresented({ events }: Pick<Call, "events">, round: number): readonly Represented[] {
  const cast = events.filter(({ kind, data }) => kind === "voted" && data.round === round);
  return [...new Map(cast.map(({ data }) => [data.by, toRepresented(data)])).values()];
}

function toRepresented(data: JsonObject): Represented {
  return { by: String(data.by), inPlaceOf: readTexts(data, "inPlaceOf") };
}

function readTexts(data: JsonObject, name: string): readonly string[] {
  const value = data[name];
  return Array.isArray(value) ? value.map(String) : [];
}
