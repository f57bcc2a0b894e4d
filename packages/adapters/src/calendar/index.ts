import { defineAdapter } from "@paraph/core";
import { createEgressPolicy } from "../egress/egress-policy.ts";
import { createHttpAgents } from "../egress/http-agents.ts";
import { AccessTokens } from "../oauth/access-tokens.ts";
import { createAnswerCapability } from "./capabilities/answer.ts";
import { createAvailabilityCapability } from "./capabilities/availability.ts";
import { createCancelCapability } from "./capabilities/cancel.ts";
import { createEventCapability, createEventsCapability } from "./capabilities/events.ts";
import { createFindCapability } from "./capabilities/find.ts";
import { createMoveCapability } from "./capabilities/move.ts";
import { createRestoreCapability } from "./capabilities/restore.ts";
import { createScheduleCapability } from "./capabilities/schedule.ts";
import { calendarAdapterConfig } from "./config.ts";
import type { CalendarContext } from "./context.ts";
import { checkCalendarHealth } from "./health.ts";
import { createCalendarObserver } from "./observe.ts";

/** The adapter for calendars on a CalDAV server. */
export const caldav = defineAdapter({
  kind: "caldav",
  config: calendarAdapterConfig,
  open: (config, { name, folder, credential }) => {
    const egress = createEgressPolicy(config.allow);
    const agents = createHttpAgents(egress);
    const tokens = new AccessTokens({ folder, egress });
    const calendarContext: CalendarContext = { name, config, agents, tokens };
    const capabilities = [
      createEventsCapability(calendarContext),
      createEventCapability(calendarContext),
      createFindCapability(calendarContext),
      createAvailabilityCapability(calendarContext),
      createScheduleCapability(calendarContext),
      createMoveCapability(calendarContext),
      createCancelCapability(calendarContext),
      createAnswerCapability(calendarContext),
      createRestoreCapability(calendarContext),
    ];
    return {
      capabilities: async () => capabilities,
      health: (signal) => checkCalendarHealth(calendarContext, { signal, credential }),
      observe: createCalendarObserver(calendarContext),
      close: async () => {
        await Promise.all([agents.close(), tokens.close()]);
      },
    };
  },
});
