import type { RecordedEvent } from "@paraph/core";
import { formatClockTime, formatTimestamp } from "../terminal/format-time.ts";
import { type Paint, plain, type Style } from "../terminal/output.ts";
import { padToWidth } from "../terminal/width.ts";
import { describeEvent } from "./event-sentence.ts";
import { pickOutcomeStyle } from "./outcome.ts";

/** Formats the timeline of a call, one line per event, with a date when the day changes. */
export function formatTimeline(events: readonly RecordedEvent[], paint: Paint): string {
  const lines: string[] = [];
  let day = "";
  for (const event of events) {
    const today = formatTimestamp(event.at).slice(0, 10);
    if (today !== day) lines.push(paint("dim", `  ${today} (UTC)`));
    day = today;
    lines.push(
      `  ${paint("dim", formatClockTime(event.at))}  ${paint(pickEventStyle(event), padToWidth(event.kind, 12))}  ${describeEvent(event)}`,
    );
  }
  return lines.join("\n");
}

export function pickEventStyle(event: RecordedEvent): Style {
  if (event.kind === "closed") return pickOutcomeStyle(String(event.data.outcome));
  if (event.kind === "voted") return event.data.decision === "approve" ? "green" : "red";
  if (event.kind === "asked") return "yellow";
  if (event.kind === "attempted") return event.data.as === "succeeded" ? "green" : "red";
  return plain;
}
