import { isJsonObject, type JsonObject, type Preview } from "@paraph/core";
import { formatLocal, parseLocal } from "../time/format.ts";

const maxTitle = 70;

/** Returns a title in quotation marks, short enough for a headline. */
export function quoteTitle(title: string): string {
  const characters = [...title.replaceAll(/[“”]/g, '"')];
  return `“${characters.length > maxTitle ? `${characters.slice(0, maxTitle - 1).join("")}…` : characters.join("")}”`;
}

/** Returns the details of the first change, which name the event. Without a preview there are none. */
export function readDetails(preview: Preview | undefined): JsonObject {
  return preview?.changes[0]?.details ?? {};
}

/** Says when the event takes place, such as `on Fri 20 Nov 2026, 15:00 Europe/Berlin`. */
export function formatTarget(
  preview: Preview | undefined,
  input: { readonly start: string; readonly timeZone?: string | undefined },
): string {
  const details = readDetails(preview);
  const timeZone = typeof details.timeZone === "string" ? details.timeZone : input.timeZone;
  return `on ${formatWhen(input.start, timeZone)}`;
}

/** Formats a local time of an input or an output for people, with its zone. */
export function formatWhen(start: string, timeZone: string | undefined): string {
  const parsed = parseLocal(start);
  if (!parsed) return start;
  const text = formatLocal(parsed.local, parsed.isDate);
  return parsed.isDate || timeZone === undefined ? text : `${text} ${timeZone}`;
}

/** Formats the times in a change's details, such as its `before`. */
export function formatDetailTimes(times: unknown): string {
  if (!isJsonObject(times as JsonObject)) return "";
  const { start, timeZone } = times as JsonObject;
  return formatWhen(String(start), typeof timeZone === "string" ? timeZone : undefined);
}

/** Says which part of a series a call changes. */
export function describeScope(scope: "this" | "following" | "all" | undefined): string {
  if (scope === undefined) return "";
  return { this: " (this occurrence)", following: " (this and all following)", all: " (the whole event)" }[
    scope
  ];
}
