import type { Activity } from "../api/types.ts";
import { describeEvent } from "../calls/describe-event.ts";

/** The event of a call that an entry of the activity log stands for. */
const events: Readonly<Record<Activity["kind"], string>> = {
  ask: "asked",
  approve: "voted",
  deny: "voted",
  return: "voted",
  reassign: "reassigned",
  reveal: "revealed",
  withdraw: "withdrawn",
  begin: "began",
  apply: "closed",
  undo: "closed",
  end: "closed",
  resolve: "resolved",
};

/** Returns an entry of the activity log in the words of the timeline, and its details. */
export function describeActivity(entry: Activity): readonly [title: string, details: readonly string[]] {
  const isVote = events[entry.kind] === "voted";
  const [title, detail] = describeEvent({
    type: events[entry.kind],
    data: { ...entry, ...(isVote && { decision: entry.kind }) },
  });
  return [
    title,
    [
      // The log does not say how a vote was given. The timeline of the call does.
      ...(isVote || detail === undefined ? [] : [detail]),
      ...(entry.declined ? [`Left out: ${entry.declined.join(", ")}`] : []),
      ...(entry.undoes === undefined ? [] : [`Undoes ${entry.undoes}`]),
      ...(entry.step === undefined ? [] : [`Step ${entry.step} of ${entry.plan}`]),
      ...(entry.onBehalfOf === undefined ? [] : [`For ${entry.onBehalfOf}`]),
    ],
  ];
}
