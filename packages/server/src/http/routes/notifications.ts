import { createRoute } from "@hono/zod-openapi";
import type { Principal } from "@paraph/core";
import { createRouter, type RouteDeps } from "../context.ts";
import { HttpProblem } from "../problem.ts";
import { bodyProblems, requireAnyScope, toJsonResponse, toProblemResponses } from "../schemas/common.ts";
import {
  fromPreferencesView,
  notificationSettingsSchema,
  preferencesSchema,
  toSettingsView,
} from "../schemas/notifications.ts";

const getNotificationSettings = createRoute({
  operationId: "getNotificationSettings",
  method: "get",
  path: "/v1/me/notifications",
  tags: ["People"],
  summary: "Get your notification preferences",
  description: "For people.",
  security: requireAnyScope("read", "decide"),
  responses: {
    200: toJsonResponse(notificationSettingsSchema, "Your preferences, and the channels that reach you."),
    ...toProblemResponses("not-authenticated", "scope-missing", "approver-not-allowed"),
  },
});

const setNotificationPreferences = createRoute({
  operationId: "setNotificationPreferences",
  method: "put",
  path: "/v1/me/notifications",
  tags: ["People"],
  summary: "Replace your notification preferences",
  description: "For people. A value that you leave out gets its default.",
  security: requireAnyScope("decide"),
  request: { body: { required: true, content: { "application/json": { schema: preferencesSchema } } } },
  responses: {
    200: toJsonResponse(notificationSettingsSchema, "Your new preferences."),
    ...toProblemResponses(...bodyProblems, "approver-not-allowed"),
  },
});

export const notificationOperations = [getNotificationSettings, setNotificationPreferences];

export function createNotificationRoutes({ service: { notifications } }: RouteDeps) {
  return createRouter()
    .openapi(getNotificationSettings, async (c) =>
      c.json(toSettingsView(await notifications.read(requirePerson(c.get("principal")))), 200),
    )
    .openapi(setNotificationPreferences, async (c) => {
      const person = requirePerson(c.get("principal"));
      await notifications.write(person, fromPreferencesView(c.req.valid("json")));
      return c.json(toSettingsView(await notifications.read(person)), 200);
    });
}

function requirePerson(principal: Principal): Principal {
  if (principal.kind === "person") return principal;
  throw new HttpProblem("approver-not-allowed", "Only people get notices. Use a person's key.");
}
