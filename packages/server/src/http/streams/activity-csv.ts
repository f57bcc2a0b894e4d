import type { Activity } from "../../services/activity.ts";
import { toIso } from "../views/call-view.ts";
import type { CsvColumn } from "./csv.ts";

/** The columns of the CSV export of activity. */
export const activityColumns: readonly CsvColumn<Activity>[] = [
  ["id", ({ id }) => id],
  ["at", ({ at }) => toIso(at)],
  ["kind", ({ kind }) => kind],
  ["call", ({ call }) => call],
  ["plan", ({ plan }) => plan],
  ["step", ({ step }) => step],
  ["undoes", ({ undoes }) => undoes],
  ["capability", ({ capability }) => capability],
  ["principal", ({ principal }) => principal],
  ["on_behalf_of", ({ onBehalfOf }) => onBehalfOf],
  ["by", ({ by }) => by],
  ["to", ({ to }) => to],
  ["as", ({ as }) => as],
  ["approval", ({ approval }) => approval],
  ["round", ({ round }) => round],
  ["outcome", ({ outcome }) => outcome],
  ["code", ({ code }) => code],
  ["finding", ({ finding }) => finding],
  ["declined", ({ declined }) => declined?.join(" ")],
  ["successor", ({ successor }) => successor],
  ["receipt", ({ receipt }) => receipt],
];
