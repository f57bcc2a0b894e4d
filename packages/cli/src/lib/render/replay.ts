import type { RebuiltCall, RecordedEvent } from "@paraph/core";
import { escapeInvisible } from "@paraph/core/escape-invisible";
import { formatCount } from "../terminal/format-count.ts";
import { formatDuration, formatTimestamp } from "../terminal/format-time.ts";
import type { Paint } from "../terminal/output.ts";
import { padToWidth, wrapToWidth } from "../terminal/width.ts";
import { describeEvent } from "./event-sentence.ts";
import { pickOutcomeStyle } from "./outcome.ts";
import { describeRowChanges } from "./row-changes.ts";
import { pickEventStyle } from "./timeline.ts";

/** One event of a replay, and the rows of the event's call before and after the event. */
export interface ReplayStep {
  readonly call: string;
  /**
   * The number of composites above the event's call. The number is 0 for the requested call. If the call is a step,
   * `name` is the name of the step.
   */
  readonly depth: number;
  readonly name?: string;
  readonly event: RecordedEvent;
  readonly before: RebuiltCall | undefined;
  readonly after: RebuiltCall;
}

/** Formats a replay: the time, the event and the changed rows. Steps of a composite are indented. */
export function formatReplay(steps: readonly ReplayStep[], paint: Paint): string {
  const [first] = steps;
  if (!first) return "";
  const { capability } = first.after;
  const head = `${paint("bold", escapeInvisible(capability))}  ${first.call}  ${paint("dim", formatTimestamp(first.event.at))}`;
  return [
    head,
    "",
    ...steps.flatMap((step) => formatStep(step, first.event.at, paint)),
    "",
    formatSummary(steps, paint),
  ].join("\n");
}

const kindWidth = 13;
const timeWidth = 9;

function formatStep(
  { depth, name, event, before, after }: ReplayStep,
  start: number,
  paint: Paint,
): string[] {
  const indent = "  ".repeat(depth);
  const label = before === undefined && name !== undefined ? `${escapeInvisible(name)}: ` : "";
  const left = `  ${paint("dim", `+${formatDuration(event.at - start)}`.padEnd(timeWidth))} ${indent}${paint(pickEventStyle(event), padToWidth(event.kind, kindWidth))} `;
  const margin = " ".repeat(3 + timeWidth + indent.length + kindWidth + 1);
  const room = paint.width === undefined ? undefined : paint.width - margin.length;
  const [said = "", ...more] = wrapToWidth(`${label}${describeEvent(event)}`, room);
  const moved = describeRowChanges(before, after);
  return [
    left + said,
    ...more.map((line) => margin + line),
    ...(moved.length === 0
      ? []
      : wrapToWidth(`▸ ${moved.join(" · ")}`, room).map((line) => margin + paint("cyan", line))),
  ];
}

/** Summarizes the final state in one line. */
function formatSummary(steps: readonly ReplayStep[], paint: Paint): string {
  const own = steps.filter(({ depth }) => depth === 0);
  const { event, after } = own.at(-1)!;
  const word = after.outcome?.kind ?? after.state;
  const took = formatDuration(event.at - own[0]!.event.at);
  const facts = [
    `${steps.length} ${steps.length === 1 ? "event" : "events"} in ${took}`,
    ...(after.rounds.length > 0 ? [formatCount(after.rounds.length, "round")] : []),
    ...(after.attempts.length > 0 ? [formatCount(after.attempts.length, "attempt")] : []),
    ...(after.held > 0 ? [`${formatCount(after.held, "lock")} held`] : []),
    ...(after.resolution ? [after.resolution.finding] : []),
  ];
  return `${paint(pickOutcomeStyle(word), word)}  ${facts.join(", ")}`;
}
