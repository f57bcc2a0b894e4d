import type { RebuiltCall, RecordedEvent } from "@paraph/core";
import { escapeInvisible } from "@paraph/core/escape-invisible";
import type { Paint } from "../output.ts";
import { moment, span } from "../times.ts";
import { foldTo, padTo } from "../width.ts";
import { movement } from "./movement.ts";
import { outcomeStyle } from "./outcome.ts";
import { sentence } from "./sentence.ts";
import { styleOf } from "./timeline.ts";

/** One event of a story, and the rows of its call before and after it. */
export interface Step {
  readonly call: string;
  /** How many composites stand above its call, and as which of their steps; 0 for the one that was asked for. */
  readonly depth: number;
  readonly name?: string;
  readonly event: RecordedEvent;
  readonly before: RebuiltCall | undefined;
  readonly after: RebuiltCall;
}

/** The story step by step: when, what, and how the rows moved by it. Steps of a composite stand further in. */
export function replayText(steps: readonly Step[], paint: Paint): string {
  const [first] = steps;
  if (!first) return "";
  const { capability } = first.after;
  const head = `${paint("bold", escapeInvisible(capability))}  ${first.call}  ${paint("dim", moment(first.event.at))}`;
  return [
    head,
    "",
    ...steps.flatMap((step) => lines(step, first.event.at, paint)),
    "",
    last(steps, paint),
  ].join("\n");
}

const kindWidth = 13;
const timeWidth = 9;

function lines({ depth, name, event, before, after }: Step, start: number, paint: Paint): string[] {
  const indent = "  ".repeat(depth);
  const label = before === undefined && name !== undefined ? `${escapeInvisible(name)}: ` : "";
  const left = `  ${paint("dim", `+${span(event.at - start)}`.padEnd(timeWidth))} ${indent}${paint(styleOf(event), padTo(event.kind, kindWidth))} `;
  const margin = " ".repeat(3 + timeWidth + indent.length + kindWidth + 1);
  const room = paint.width === undefined ? undefined : paint.width - margin.length;
  const [said = "", ...more] = foldTo(`${label}${sentence(event)}`, room);
  const moved = movement(before, after);
  return [
    left + said,
    ...more.map((line) => margin + line),
    ...(moved.length === 0
      ? []
      : foldTo(`▸ ${moved.join(" · ")}`, room).map((line) => margin + paint("cyan", line))),
  ];
}

/** Where it has come to, in one line. */
function last(steps: readonly Step[], paint: Paint): string {
  const own = steps.filter(({ depth }) => depth === 0);
  const { event, after } = own.at(-1)!;
  const word = after.outcome?.kind ?? after.state;
  const took = span(event.at - own[0]!.event.at);
  const facts = [
    `${steps.length} ${steps.length === 1 ? "event" : "events"} in ${took}`,
    ...(after.rounds.length > 0 ? [times(after.rounds.length, "round")] : []),
    ...(after.attempts.length > 0 ? [times(after.attempts.length, "attempt")] : []),
    ...(after.held > 0 ? [`${times(after.held, "lock")} held`] : []),
    ...(after.resolution ? [after.resolution.finding] : []),
  ];
  return `${paint(outcomeStyle(word), word)}  ${facts.join(", ")}`;
}

function times(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
