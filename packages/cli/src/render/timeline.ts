import type { RecordedEvent } from "@paraph/core";
import type { Paint, Style } from "../output.ts";
import { clock, moment } from "../times.ts";
import { padTo } from "../width.ts";
import { outcomeStyle } from "./outcome.ts";
import { sentence } from "./sentence.ts";

/** The story of a call, one line per event, with a date wherever the day changes. */
export function timeline(events: readonly RecordedEvent[], paint: Paint): string {
  const lines: string[] = [];
  let day = "";
  for (const event of events) {
    const today = moment(event.at).slice(0, 10);
    if (today !== day) lines.push(paint("dim", `  ${today} (UTC)`));
    day = today;
    lines.push(
      `  ${paint("dim", clock(event.at))}  ${paint(styleOf(event), padTo(event.kind, 12))}  ${sentence(event)}`,
    );
  }
  return lines.join("\n");
}

export function styleOf(event: RecordedEvent): Style {
  if (event.kind === "closed") return outcomeStyle(String(event.data.outcome));
  if (event.kind === "voted") return event.data.decision === "approve" ? "green" : "red";
  if (event.kind === "asked") return "yellow";
  if (event.kind === "attempted") return event.data.as === "succeeded" ? "green" : "red";
  return "reset";
}
