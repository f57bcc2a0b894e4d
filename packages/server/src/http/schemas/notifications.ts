import { z } from "@hono/zod-openapi";
import type { NotificationPreferences, NotificationSettings } from "../../services/notifications.ts";
import type { PushDevice } from "../../services/push-devices.ts";

const timeOfDaySchema = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, "expected a time of day, such as `22:00`")
  .openapi({ example: "22:00" });

const quietSchema = z
  .strictObject({
    from: timeOfDaySchema,
    until: timeOfDaySchema,
    timeZone: z
      .string()
      .max(64)
      .refine(isTimeZone, "expected the name of a time zone, such as `Europe/Berlin`")
      .openapi({ example: "Europe/Berlin" }),
    pierce: z.enum(["high", "critical", "none"]).default("high").openapi({
      description: "The lowest urgency that reaches you during quiet hours (default: `high`).",
    }),
  })
  .refine(({ from, until }) => from !== until, { path: ["until"], message: "must differ from `from`" })
  .openapi("QuietHours");

export const preferencesSchema = z
  .strictObject({
    channels: z
      .array(z.string().min(1).max(64))
      .max(20)
      .optional()
      .openapi({ description: "The channels that reach you (default: all). An empty list means none." }),
    quiet: quietSchema.optional().openapi({ description: "Your quiet hours (default: none)." }),
  })
  .openapi("NotificationPreferences", {
    example: {
      channels: ["mail"],
      quiet: { from: "22:00", until: "07:00", timeZone: "Europe/Berlin", pierce: "high" },
    },
  });

const deviceSchema = z
  .object({
    id: z.string(),
    name: z.string().openapi({ example: "Chrome on Android" }),
    addedAt: z.iso.datetime(),
    usedAt: z.iso.datetime().optional().openapi({
      description: "When the push service of the browser last accepted a notice.",
    }),
  })
  .openapi("PushDevice");

export const notificationSettingsSchema = z
  .object({
    channels: z.array(z.string()).optional(),
    quiet: quietSchema.optional(),
    available: z
      .array(
        z.object({
          channel: z.string(),
          address: z.string().optional(),
          devices: z.array(deviceSchema).optional().openapi({
            description: "The browsers in which you turned on push notifications, for the channel `push`.",
          }),
        }),
      )
      .openapi({
        description: "The configured channels. Without an address or a device, a channel cannot reach you.",
      }),
  })
  .openapi("NotificationSettings");

/** Preferences as the API writes them. */
export type PreferencesView = z.infer<typeof preferencesSchema>;

/** Returns the preferences with times of day instead of minutes. */
export function toSettingsView({ channels, quiet, available }: NotificationSettings) {
  return {
    ...(channels && { channels: [...channels] }),
    ...(quiet && { quiet: { ...quiet, from: toTimeOfDay(quiet.from), until: toTimeOfDay(quiet.until) } }),
    available: available.map(({ devices, ...one }) => ({
      ...one,
      ...(devices && { devices: devices.map(toDeviceView) }),
    })),
  };
}

function toDeviceView({ id, name, addedAt, usedAt }: PushDevice) {
  return {
    id,
    name,
    addedAt: new Date(addedAt).toISOString(),
    ...(usedAt !== undefined && { usedAt: new Date(usedAt).toISOString() }),
  };
}

/** Returns the preferences as they are stored. */
export function fromPreferencesView({ channels, quiet }: PreferencesView): NotificationPreferences {
  return {
    ...(channels && { channels }),
    ...(quiet && { quiet: { ...quiet, from: toMinutes(quiet.from), until: toMinutes(quiet.until) } }),
  };
}

function toTimeOfDay(minutes: number): string {
  const pad = (number: number) => String(number).padStart(2, "0");
  return `${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
}

function toMinutes(time: string): number {
  const [hours, minutes] = time.split(":").map(Number);
  return hours! * 60 + minutes!;
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en-GB", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
