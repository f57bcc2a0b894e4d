import { digest } from "@paraph/core";
import type { Context, Hono } from "hono";
import type { Env, RouteDeps } from "../../http/context.ts";
import { createCsrfToken, isValidCsrfToken } from "../../http/middleware/csrf-token.ts";
import { HttpProblem } from "../../http/problem.ts";
import {
  createPageRouter,
  readForm,
  readPageSession,
  sendPage,
  smallBodyLimit,
  staleFormProblem,
} from "./page-router.ts";

/**
 * Creates the pages on which people link and unlink their Slack account. Both are governed calls: a page only requests
 * them.
 */
export function createSlackPageRoutes({ service, pages }: Pick<RouteDeps, "service" | "pages">): Hono<Env> {
  const app = createPageRouter({ service, pages });
  const { slackAccounts } = service;
  if (!slackAccounts) return app;

  const about = (c: Context<Env>) => [readPageSession(c), "shown", "slack", c.get("principal").id] as const;
  const requireInvitation = (written: string | undefined) => {
    const found = slackAccounts.readInvitation(written ?? "");
    if (found) return found;
    throw new HttpProblem(
      "body-invalid",
      "The link from Slack is not valid or has expired. Press the button in Slack again to get a new one.",
    );
  };
  const readVerifiedForm = async (c: Context<Env>) => {
    const form = await readForm(c);
    if (!isValidCsrfToken(form.proof ?? "", ...about(c))) throw staleFormProblem();
    return form;
  };
  const request = async (
    c: Context<Env>,
    capability: string,
    input: Record<string, string>,
    key?: string,
  ) => {
    const { call } = await service.requestCall({
      principal: c.get("principal"),
      capability,
      input,
      ...(key !== undefined && { key }),
    });
    return c.redirect(`/calls/${call.call}`, 303);
  };

  app.get("/slack/link/:invitation", (c) => {
    const written = c.req.param("invitation");
    const { teamName, accountName } = requireInvitation(written);
    const page = {
      reader: c.get("principal").id,
      proof: createCsrfToken(...about(c)),
      teamName,
      accountName,
    };
    return sendPage(c, pages.slackLink({ ...page, invitation: written }));
  });

  app.post("/slack/link", smallBodyLimit, async (c) => {
    const { invitation: written } = await readVerifiedForm(c);
    const { team, account, teamName, accountName } = requireInvitation(written);
    const input = { person: c.get("principal").id, team, account, teamName, accountName };
    // The key makes a link from Slack request one call, also if the form is posted twice.
    return request(c, "admin.slack_link", input, `slack-link-${digest([written ?? ""]).slice(0, 32)}`);
  });

  app.post("/slack/unlink", smallBodyLimit, async (c) => {
    await readVerifiedForm(c);
    return request(c, "admin.slack_unlink", { person: c.get("principal").id });
  });
  return app;
}
