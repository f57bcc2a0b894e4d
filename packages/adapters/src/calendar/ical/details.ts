import { readEmail } from "../people.ts";
import { formatLocalIso, formatUtc } from "../time/format.ts";
import { dayMs } from "../time/zone.ts";
import type { EventTimes, Occurrence } from "./event.ts";
import {
  findProperty,
  type JComponent,
  type JProperty,
  listProperties,
  readParameter,
  readText,
} from "./jcal.ts";

/** The answers of an attendee, by their values in iCalendar. */
export const answers = {
  ACCEPTED: "accepted",
  DECLINED: "declined",
  TENTATIVE: "tentative",
  "NEEDS-ACTION": "undecided",
} as const;

export type Answer = (typeof answers)[keyof typeof answers];

export interface Attendee {
  readonly email: string;
  readonly name: string | undefined;
  readonly answer: Answer;
}

export const maxTitle = 300;

/** Returns foreign text without control characters, and at most this long. */
export function cleanText(text: string | undefined, max: number): string {
  return (text ?? "")
    .slice(0, max)
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll(/[^\P{Cc}\n\t]/gu, "")
    .toWellFormed();
}

const toOneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

export function readTitle(component: JComponent): string {
  return toOneLine(cleanText(readText(component, "summary"), maxTitle)) || "(no title)";
}

export function readAttendees(component: JComponent): Attendee[] {
  return listProperties(component, "attendee").flatMap((property) => {
    const email = readAddress(property);
    if (email === undefined) return [];
    const answer = readParameter(property, "partstat")?.toUpperCase() ?? "";
    const name = toOneLine(cleanText(readParameter(property, "cn"), 100));
    return [
      {
        email,
        name: name || undefined,
        answer: Object.hasOwn(answers, answer) ? answers[answer as keyof typeof answers] : "undecided",
      },
    ];
  });
}

/** Returns the mail address of an attendee or an organizer, or undefined if there is none. */
export function readAddress(property: JProperty | undefined): string | undefined {
  const value = property?.[3];
  const match = typeof value === "string" ? /^mailto:(.+)$/i.exec(value) : null;
  try {
    return match ? readEmail(decodeURIComponent(match[1]!)) : undefined;
  } catch {
    return undefined;
  }
}

export function readOrganizer(component: JComponent): string | undefined {
  return readAddress(findProperty(component, "organizer"));
}

export const isCancelled = (component: JComponent): boolean =>
  readText(component, "status")?.toUpperCase() === "CANCELLED";

/** Whether the occurrence makes this person busy. */
export function isBusy({ component }: Pick<Occurrence, "component">, person: string | undefined): boolean {
  if (isCancelled(component) || readText(component, "transp")?.toUpperCase() === "TRANSPARENT") return false;
  const own = readAttendees(component).find(({ email }) => email.toLowerCase() === person?.toLowerCase());
  return own?.answer !== "declined";
}

/** Returns the times as agents see them: local in the event's zone, and in UTC. A whole day ends on its last day. */
export function toTimesOutput({ start, end, isDate, zone }: EventTimes) {
  return {
    start: formatLocalIso(start, isDate),
    end: formatLocalIso(isDate ? Math.max(start, end - dayMs) : end, isDate),
    timeZone: zone.name,
    startUtc: formatUtc(zone.toUtc(start)),
    endUtc: formatUtc(zone.toUtc(end)),
  };
}
