import type { Attempt, AttemptEnd } from "../../call.ts";
import type { Capability, Tokens } from "../../capability/capability.ts";
import type { Fault } from "../../capability/fault.ts";
import type { NewEvent } from "../../event.ts";
import type { Json } from "../../json.ts";

/** The number, the start and the deadline of an attempt. */
export interface AttemptTiming {
  readonly attempt: number;
  readonly started: number;
  readonly deadline?: number;
}

/** Returns the timing of an attempt from its intent. */
export function toAttemptTiming({ number, at, deadline }: Attempt): AttemptTiming {
  return { attempt: number, started: at, deadline };
}

/**
 * Returns the event of an attempt's end. `ms` is the duration of the attempt. It counts only up to the deadline, even
 * if the end was detected later.
 */
export function attemptedEvent(
  { attempt, started, deadline = Infinity }: AttemptTiming,
  as: AttemptEnd,
  code: string,
  at: number,
): NewEvent<"attempted"> {
  const ms = Math.max(0, Math.min(at, deadline) - started);
  return { kind: "attempted", at, data: { attempt, as, code, ms } };
}

/** Returns the event of an attempt that ended with a fault. */
export function faultedEvent(ran: AttemptTiming, { kind, code, unrecognised }: Fault, at: number): NewEvent {
  const event = attemptedEvent(ran, kind, code, at);
  return unrecognised ? { ...event, data: { ...event.data, unrecognised } } : event;
}

/** Returns the event of an attempt whose end no process recorded. */
export function lostEvents(open: Attempt | undefined, code: string, at: number): NewEvent[] {
  return open ? [attemptedEvent(toAttemptTiming(open), "lost", code, at)] : [];
}

/** [P9] Returns the token counts that the capability reports, without invalid values. */
export function tokensUsed(
  capability: Capability,
  input: Json,
  output: Json | undefined,
): Tokens | undefined {
  try {
    const told = output === undefined ? undefined : capability.tokens?.(input, output);
    const counts = Object.entries({ input: told?.input, output: told?.output }).filter(
      ([, count]) => Number.isSafeInteger(count) && count! >= 0,
    );
    return counts.length > 0 ? Object.fromEntries(counts) : undefined;
  } catch {
    return undefined;
  }
}
