import { z } from "zod";
import { toCanonicalUrl } from "../egress/canonical-url.ts";
import { secretText } from "../egress/secrets.ts";
import { normalizeOrKeep } from "../normalize-text.ts";
import { oauthConfig } from "../oauth/config.ts";
import { readEmail } from "./people.ts";
import { isZone, readZone } from "./time/zone.ts";

const credential = z
  .union([
    z.strictObject({
      user: z
        .string()
        .min(1)
        .max(200)
        .regex(/^[\x20-\x39\x3b-\x7e]+$/, "must be ASCII without a colon")
        .describe("the user for Basic authentication"),
      password: secretText.describe("the password; name the secret in braces after a dollar sign"),
    }),
    z.strictObject({ token: secretText.describe("the bearer token; name the secret in braces") }),
    z.strictObject({ oauth: oauthConfig }),
  ])
  .describe(
    "`{ user, password }` for Basic authentication, `{ token }` for a bearer token, or `{ oauth }` for access tokens that expire; name the secrets in braces after a dollar sign",
  );

const zone = z
  .string()
  .max(64)
  .refine(isZone, "must be the name of a time zone, such as `Europe/Berlin`")
  .overwrite(normalizeOrKeep(readZone));

const time = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$|^24:00$/, "must be a time such as `09:00`");

export const weekdays = ["mo", "tu", "we", "th", "fr", "sa", "su"] as const;

const workingHours = z
  .strictObject({
    days: z
      .array(z.enum(weekdays))
      .min(1)
      .default(["mo", "tu", "we", "th", "fr"])
      .describe("the days of the week, such as `mo`"),
    from: time.default("09:00").describe("the beginning of the working hours"),
    to: time.default("17:00").describe("the end of the working hours"),
  })
  .refine(({ from, to }) => from < to, "`from` must be before `to`")
  .describe("the hours in which meetings may take place, in the calendar's time zone");

const calendarConfig = z.strictObject({
  url: z
    .string()
    .max(2_000)
    .refine(isCollectionUrl, "must be the URL of a calendar collection, and end with a slash")
    .describe("the URL of the calendar collection"),
  person: z
    .email()
    .max(254)
    .overwrite(normalizeOrKeep(readEmail))
    .optional()
    .describe("the mail address of the person whose calendar it is"),
  displayName: z
    .string()
    .max(100)
    .regex(/^[^\p{Cc}"\\]+$/u, "must have no quotation marks, backslashes or control characters")
    .optional()
    .describe("the person's name"),
  access: z
    .enum(["busy", "read", "write"])
    .default("read")
    .describe(
      "`busy`: agents learn only when the person is busy. `read`: they also read events. `write`: they also change events",
    ),
  timeZone: zone.optional().describe("the person's time zone (default: the adapter's `timeZone`)"),
  workingHours: workingHours.optional(),
  credential: credential.optional(),
});

export const calendarAdapterConfig = z
  .strictObject({
    calendars: z
      .record(
        z.string().regex(/^[a-z][a-z0-9_-]{0,40}$/, "must be a name in lower case, such as `ana`"),
        calendarConfig,
      )
      .refine((calendars) => Object.keys(calendars).length > 0, "name at least one calendar")
      .refine((calendars) => Object.keys(calendars).length <= 50, "name at most 50 calendars")
      .describe("the calendars, by the name that agents use"),
    timeZone: zone.describe("the time zone of calendars without one, such as `Europe/Berlin`"),
    domains: z
      .array(
        z
          .string()
          .max(253)
          .regex(/^[a-z0-9.-]+$/, "must be a domain in lower case"),
      )
      .default([])
      .describe("your own mail domains; previews mark attendees of other domains as `outside`"),
    credential: credential.optional(),
    workingHours: workingHours.prefault({}),
    allow: z
      .array(z.string())
      .default([])
      .describe("private addresses that requests may reach, such as 127.0.0.1:5232"),
    maxBytes: z
      .int()
      .positive()
      .max(16 * 1024 * 1024)
      .default(4 * 1024 * 1024)
      .describe("the maximum size of one response of the server"),
    timeout: z
      .templateLiteral([z.number(), z.enum(["ms", "s", "m"])])
      .default("30s")
      .describe("how long one call may take"),
  })
  .superRefine(({ calendars, credential: shared, allow }, faults) => {
    for (const [name, { url, credential: own }] of Object.entries(calendars)) {
      const path = ["calendars", name];
      if (!own && !shared)
        faults.addIssue({ code: "custom", path, message: "needs a `credential`, here or in the adapter" });
      const { protocol, host, hostname } = new URL(url);
      if (protocol === "http:" && !allow.includes(host) && !allow.includes(hostname))
        faults.addIssue({
          code: "custom",
          path: [...path, "url"],
          message: "must begin with https://, unless `allow` names its host",
        });
    }
  });

export type CalendarAdapterConfig = z.output<typeof calendarAdapterConfig>;

export type CalendarConfig = CalendarAdapterConfig["calendars"][string];

export type WorkingHours = z.output<typeof workingHours>;

function isCollectionUrl(raw: string): boolean {
  const read = toCanonicalUrl(raw);
  return read.kind === "canonical" && read.url.href === raw && raw.endsWith("/") && read.url.search === "";
}
