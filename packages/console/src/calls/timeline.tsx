import type { CallEvent } from "../api/types.ts";
import { Foreign } from "../lib/foreign.tsx";
import { formatDuration, formatExactTime } from "../lib/time.ts";
import { describeEvent } from "./describe-event.ts";

const longWaitMs = 2_000;

/** An event of a call, or of its receipt. */
type TimelineEvent = Pick<CallEvent, "id" | "time" | "type" | "data">;

/** The events of a call, with the waits between them. */
export function Timeline({
  events,
  timeZone,
}: {
  readonly events: readonly TimelineEvent[];
  /** The zone of the times, if it is not the reader's. */
  readonly timeZone?: "UTC";
}) {
  return (
    <ol className="max-w-190">
      {events.map((event, index) => {
        const previous = events[index - 1];
        const wait = previous ? Date.parse(event.time) - Date.parse(previous.time) : 0;
        const [title, detail, tone] = describeEvent(event);
        return (
          <li key={event.id}>
            {wait >= longWaitMs && (
              <p className="ml-[9.5px] border-l border-dashed border-edge py-1.5 pl-5 text-sm text-ink md:ml-[117.5px]">
                {formatDuration(wait)} later{formatNewDay(event.time, previous?.time, timeZone)}
              </p>
            )}
            <div className="relative flex gap-3 pb-3 max-md:flex-row-reverse max-md:justify-end">
              <time
                dateTime={event.time}
                title={formatExactTime(event.time, timeZone)}
                className="w-24 flex-none text-right font-mono text-xs leading-5 text-muted max-md:ml-auto max-md:w-auto"
              >
                {new Date(event.time).toLocaleTimeString("en-GB", { timeZone })}
              </time>
              <span
                aria-hidden="true"
                className={`mt-1.5 size-2.5 flex-none rounded-full max-md:order-last max-md:ml-1 ${tone}`}
              />
              <div className="min-w-0 max-md:mr-auto">
                <p>
                  <Foreign text={title} />
                </p>
                {detail !== undefined && (
                  <p className="text-sm text-muted">
                    <Foreign text={detail} />
                  </p>
                )}
              </div>
            </div>
          </li>
        );
      })}
    </ol>
  );
}

/** Names the day of an event if the event before it was on another day. */
function formatNewDay(time: string, previous: string | undefined, timeZone: "UTC" | undefined): string {
  const [day, dayBefore] = [time, previous ?? time].map((one) =>
    new Date(one).toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone }),
  );
  return day === dayBefore ? "" : `, on ${day}`;
}
