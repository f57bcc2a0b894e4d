import { ParaphError } from "@paraph/core";
import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { Env, Parts } from "../../http/context.ts";
import {
  forgetMemo,
  forgetSession,
  keepMemo,
  keepSession,
  memoIn,
  sessionIn,
} from "../../http/middleware/session-cookie.ts";
import { Problem } from "../../http/problem.ts";
import { callbackPath, type LoggedIn } from "../../services/types/login-types.ts";
import { faultPage, linkPage, loggedInPage, loginPage, loginStylesheet } from "../login-page.ts";

const headers = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy":
    "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  // Without a referrer a browser would not tell its own server the origin of a form either.
  "referrer-policy": "same-origin",
  "cache-control": "no-store",
};
const home = "/login";

/** Pages for browsers. A GET changes nothing here; what counts is a person's POST, or their way back from the issuer. */
export function loginRoutes({ service, log }: Parts): Hono<Env> {
  const { login } = service;
  const show = (c: Context<Env>, page: string, status: ContentfulStatusCode = 200) =>
    c.body(page, status, headers);

  const settled = (c: Context<Env>, result: LoggedIn) => {
    if (result.kind === "begun") {
      keepSession(c, result.session);
      return c.redirect(local(result.to), 303);
    }
    log({ level: "warn", code: `login-${result.kind}`, request: c.get("request") });
    if (result.kind === "unknown") {
      return show(
        c,
        faultPage("Not known here", "You are not known here: ask an administrator to add you."),
        403,
      );
    }
    return show(
      c,
      faultPage("That did not work", "The login is over, was used before, or was begun elsewhere."),
      403,
    );
  };

  return new Hono<Env>()
    .get(home, async (c) => {
      const session = sessionIn(c);
      const caller = session === undefined ? undefined : await service.session(session);
      return show(
        c,
        caller ? loggedInPage(caller.principal) : loginPage(login.issuer?.name, local(c.req.query("to"))),
      );
    })
    .get("/login.css", (c) => c.body(loginStylesheet, 200, { "content-type": "text/css; charset=utf-8" }))
    .get("/login/start", async (c) => {
      if (!login.issuer) return c.redirect(home, 303);
      const begun = await login.issuer.begin(local(c.req.query("to"))).catch(unlessAway);
      if (!begun) return show(c, unavailablePage(), 503);
      keepMemo(c, begun.memo);
      return c.redirect(begun.url, 303);
    })
    .get(callbackPath, async (c) => {
      const memo = memoIn(c);
      forgetMemo(c);
      if (memo === undefined || !login.issuer) return settled(c, { kind: "failed" });
      const query = new URL(c.req.url).search;
      const result = await login.issuer.finish(query, memo, sessionIn(c)).catch(unlessAway);
      return result ? settled(c, result) : show(c, unavailablePage(), 503);
    })
    .get("/login/local", (c) => show(c, linkPage(c.req.query("token") ?? "")))
    .post("/login/local", small, async (c) => {
      requireOrigin(c);
      const { token } = await c.req.parseBody();
      return settled(c, await login.finishByLink(typeof token === "string" ? token : "", sessionIn(c)));
    })
    .post("/logout", small, async (c) => {
      requireOrigin(c);
      const session = sessionIn(c);
      if (session !== undefined) await login.end(session);
      forgetSession(c);
      return c.redirect(home, 303);
    });
}

const small = bodyLimit({
  maxSize: 4_096,
  onError: () => {
    throw new Problem("body-too-large", "That is no form of ours.");
  },
});

/** [TRUST 22] That it is the right one, where there is one, was seen to before. */
function requireOrigin(c: Context<Env>): void {
  if (c.req.header("origin") === undefined) {
    throw new Problem("origin-not-allowed", "Log in and out from a page of this server.");
  }
}

/** Only ever to a page of this server. */
function local(to: string | undefined): string {
  return to !== undefined && /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]{0,500}$/.test(to) ? to : home;
}

function unlessAway(error: unknown): undefined {
  if (error instanceof ParaphError && error.code === "identity-unavailable") return undefined;
  throw error;
}

function unavailablePage(): string {
  return faultPage("Try again in a moment", "The identity provider does not answer.");
}
