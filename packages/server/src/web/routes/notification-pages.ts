import type { Context, Hono } from "hono";
import type { Env, RouteDeps } from "../../http/context.ts";
import { createCsrfToken, isValidCsrfToken } from "../../http/middleware/csrf-token.ts";
import { fromPreferencesView, preferencesSchema, toSettingsView } from "../../http/schemas/notifications.ts";
import { maxPushDevices } from "../../services/push-devices.ts";
import { describeDevice } from "../app/device-name.ts";
import type { NotificationsPage } from "../page-data/settings-types.ts";
import {
  createPageRouter,
  type PageForm,
  readForm,
  readPageSession,
  sendPage,
  smallBodyLimit,
  staleFormProblem,
} from "./page-router.ts";

/** The preferences in a form, which may be invalid. */
type PostedPreferences = Omit<NotificationsPage["settings"], "available">;

/** Creates the page on which people choose their notices. Every mail links to it, and opening it changes nothing. */
export function createNotificationPageRoutes({ service, pages }: RouteDeps): Hono<Env> {
  const { notifications, slackAccounts } = service;
  const app = createPageRouter({ service, pages });
  const about = (c: Context<Env>) =>
    [readPageSession(c), "shown", "notifications", c.get("principal").id] as const;
  const render = async (
    c: Context<Env>,
    more: Pick<NotificationsPage, "fault" | "saved"> = {},
    posted?: PostedPreferences,
  ) => {
    const reader = c.get("principal");
    const { available, ...stored } = toSettingsView(await notifications.read(reader));
    // A refused form keeps what the person typed.
    const settings = { available, ...(posted ?? stored) };
    const pushKey = await notifications.push?.findPublicKey();
    const proof = createCsrfToken(...about(c));
    const slack = slackAccounts && {
      account: await slackAccounts.findAccount(reader),
      proof: createCsrfToken(readPageSession(c), "shown", "slack", reader.id),
    };
    const page = {
      reader: reader.id,
      proof,
      settings,
      ...(slack && { slack }),
      ...(pushKey !== undefined && { pushKey }),
      ...more,
    };
    const status = more.fault === undefined ? 200 : 422;
    return sendPage(c, pages.notifications(page), status, { script: pushKey !== undefined });
  };

  const readVerifiedForm = async (c: Context<Env>) => {
    const form = await readForm(c);
    if (!isValidCsrfToken(form.proof ?? "", ...about(c))) throw staleFormProblem();
    return form;
  };

  app.get("/notifications", (c) => render(c, c.req.query("saved") === "1" ? { saved: true } : {}));

  app.post("/notifications", smallBodyLimit, async (c) => {
    const form = await readVerifiedForm(c);
    const reader = c.get("principal");
    const { available } = await notifications.read(reader);
    const posted = toPreferences(
      form,
      available.map(({ channel }) => channel),
    );
    const parsed = preferencesSchema.safeParse(posted);
    if (!parsed.success)
      return render(c, { fault: describeFault(parsed.error.issues[0]?.path.at(-1)) }, posted);
    await notifications.write(reader, fromPreferencesView(parsed.data));
    return c.redirect("/notifications?saved=1", 303);
  });

  app.post("/notifications/devices", smallBodyLimit, async (c) => {
    const { endpoint = "", p256dh = "", auth = "" } = await readVerifiedForm(c);
    const name = describeDevice(c.req.header("user-agent") ?? "");
    const added = await notifications.push?.add(c.get("principal"), name, { endpoint, p256dh, auth });
    if (added === "added") return c.redirect("/notifications?saved=1#devices", 303);
    const fault =
      added === "too-many"
        ? `You have ${maxPushDevices} devices. Remove one, then add this one.`
        : "Paraph cannot send to this browser's push service.";
    return render(c, { fault });
  });

  app.post("/notifications/devices/remove", smallBodyLimit, async (c) => {
    const { device = "" } = await readVerifiedForm(c);
    await notifications.push?.remove(c.get("principal"), device);
    return c.redirect("/notifications?saved=1#devices", 303);
  });
  return app;
}

/** Returns the preferences in a form. All channels together are the default, so that new channels also reach the person. */
function toPreferences(form: PageForm, known: readonly string[]): PostedPreferences {
  const channels = known.filter((channel) => form[`channel:${channel}`] === "on");
  const { from = "", until = "", timeZone = "", pierce = "high" } = form;
  const isQuiet = from.trim() !== "" || until.trim() !== "";
  return {
    ...(channels.length < known.length && { channels }),
    ...(isQuiet && {
      quiet: {
        from: from.trim(),
        until: until.trim(),
        timeZone: timeZone.trim(),
        pierce: pierce as NonNullable<PostedPreferences["quiet"]>["pierce"],
      },
    }),
  };
}

/** Says which field is wrong, by its label on the page. */
function describeFault(field: PropertyKey | undefined): string {
  if (field === "from") return "“From” must be a time of day, such as 22:00.";
  if (field === "until") return "“Until” must be a time of day and differ from “From”.";
  return field === "timeZone"
    ? "“Time zone” must be the name of a time zone, such as Europe/Berlin."
    : "The form is invalid. Reload the page and try again.";
}
