import { CapabilityError, type ExecutionContext } from "@paraph/core";
import type { HttpAgents } from "../egress/http-agents.ts";
import type { AccessTokens } from "../oauth/access-tokens.ts";
import type { CalendarAdapterConfig, CalendarConfig, WorkingHours } from "./config.ts";

/** The context that the capabilities of one adapter share. */
export interface CalendarContext {
  readonly name: string;
  readonly config: CalendarAdapterConfig;
  readonly agents: HttpAgents;
  readonly tokens: AccessTokens;
}

/** One configured calendar, with the defaults of the adapter filled in. */
export interface ConfiguredCalendar extends CalendarConfig {
  readonly name: string;
  readonly timeZone: string;
  readonly workingHours: WorkingHours;
}

/** The part of the context of a call or of a poll that a request needs. */
export type RequestContext = Pick<ExecutionContext, "signal" | "credential">;

type Access = CalendarConfig["access"];
const accesses: readonly Access[] = ["busy", "read", "write"];

/** Returns the calendar of this name. Throws if there is none, or if agents may not access it in this way. */
export function requireCalendar(
  { config }: CalendarContext,
  name: string,
  access: Access,
): ConfiguredCalendar {
  const found = Object.hasOwn(config.calendars, name) ? config.calendars[name] : undefined;
  if (!found)
    throw new CapabilityError(
      "permanent",
      "calendar-unknown",
      `There is no calendar of this name. Use one of: ${Object.keys(config.calendars).join(", ")}.`,
    );
  if (accesses.indexOf(found.access) < accesses.indexOf(access))
    throw new CapabilityError(
      "permanent",
      "calendar-not-allowed",
      `The configuration gives agents only the access \`${found.access}\` to \`${name}\`, and this call needs \`${access}\`.`,
    );
  return withDefaults(config, name, found);
}

export function listCalendars({ config }: CalendarContext): ConfiguredCalendar[] {
  return Object.entries(config.calendars).map(([name, each]) => withDefaults(config, name, each));
}

function withDefaults(
  config: CalendarAdapterConfig,
  name: string,
  calendar: CalendarConfig,
): ConfiguredCalendar {
  return {
    ...calendar,
    name,
    timeZone: calendar.timeZone ?? config.timeZone,
    workingHours: calendar.workingHours ?? config.workingHours,
  };
}
