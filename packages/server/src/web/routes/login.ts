import { ParaphError } from "@paraph/core";
import { type Context, Hono } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { Env, RouteDeps } from "../../http/context.ts";
import { limitBody } from "../../http/middleware/limit-body.ts";
import {
  deleteLoginCookie,
  deleteSessionCookie,
  readLoginCookie,
  readSessionCookie,
  setLoginCookie,
  setSessionCookie,
} from "../../http/middleware/session-cookie.ts";
import { HttpProblem } from "../../http/problem.ts";
import { callbackPath, type LoginResult } from "../../services/authentication.ts";
import {
  renderLinkPage,
  renderLoggedInPage,
  renderLoginErrorPage,
  renderLoginPage,
} from "../pages/login-page.ts";

const headers = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy":
    "default-src 'none'; style-src 'self'; img-src 'self'; manifest-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  // Makes browsers send an origin with a form that posts to this server. With `no-referrer`, a browser would not send
  // an origin.
  "referrer-policy": "same-origin",
  "cache-control": "no-store",
};
const loginPath = "/login";
const issuerLoginFailure = "The login expired, was already used, or started in another browser.";
const linkLoginFailure =
  "The login link expired, was already used, or belongs to an invitation that is not approved yet. After the approval, open the link again.";

/**
 * Creates the routes of login and logout. The only GET request that changes anything is the one by which the issuer
 * redirects the browser back to this server.
 */
export function createLoginRoutes({ service, log, consoleFiles }: RouteDeps): Hono<Env> {
  const { login } = service;
  const show = (c: Context<Env>, page: string, status: ContentfulStatusCode = 200) =>
    c.body(page, status, headers);

  const settled = (c: Context<Env>, result: LoginResult, failure: string) => {
    if (result.kind === "begun") {
      setSessionCookie(c, result.session);
      return c.redirect(toLocalPath(result.to), 303);
    }
    log({ level: "warn", code: `login-${result.kind}`, request: c.get("request") });
    if (result.kind === "unknown") {
      return show(
        c,
        renderLoginErrorPage(
          "Unknown user",
          "Paraph does not know this account. Ask an administrator to add you.",
        ),
        403,
      );
    }
    return show(c, renderLoginErrorPage("Login failed", failure), 403);
  };

  return new Hono<Env>()
    .get(loginPath, async (c) => {
      const session = readSessionCookie(c);
      const caller = session === undefined ? undefined : await service.authenticateSession(session);
      return show(
        c,
        caller
          ? renderLoggedInPage(caller.principal, consoleFiles !== undefined)
          : renderLoginPage(login.issuer?.name, toLocalPath(c.req.query("to"))),
      );
    })
    .get("/login/start", async (c) => {
      if (!login.issuer) return c.redirect(loginPath, 303);
      const begun = await login.issuer.begin(toLocalPath(c.req.query("to"))).catch(ignoreUnavailable);
      if (!begun) return show(c, renderUnavailablePage(), 503);
      setLoginCookie(c, begun.memo);
      return c.redirect(begun.url, 303);
    })
    .get(callbackPath, async (c) => {
      const memo = readLoginCookie(c);
      deleteLoginCookie(c);
      if (memo === undefined || !login.issuer) return settled(c, { kind: "failed" }, issuerLoginFailure);
      const query = new URL(c.req.url).search;
      const result = await login.issuer.finish(query, memo, readSessionCookie(c)).catch(ignoreUnavailable);
      return result ? settled(c, result, issuerLoginFailure) : show(c, renderUnavailablePage(), 503);
    })
    .get("/login/local", async (c) => {
      const token = c.req.query("token") ?? "";
      return show(c, renderLinkPage(token, await login.findLink(token)));
    })
    .post("/login/local", loginBodyLimit, async (c) => {
      requireOrigin(c);
      const { token } = await c.req.parseBody();
      return settled(
        c,
        await login.logInByLink(typeof token === "string" ? token : "", readSessionCookie(c)),
        linkLoginFailure,
      );
    })
    .post("/logout", loginBodyLimit, async (c) => {
      requireOrigin(c);
      const session = readSessionCookie(c);
      if (session !== undefined) await login.endSession(session);
      deleteSessionCookie(c);
      return c.redirect(loginPath, 303);
    });
}

const loginBodyLimit = limitBody(4_096, "The form is too large. Use the login page of this server.");

/** [TRUST 22] Rejects a post without an origin. `requireSameOrigin` has already rejected a wrong one. */
function requireOrigin(c: Context<Env>): void {
  if (c.req.header("origin") === undefined) {
    throw new HttpProblem(
      "origin-not-allowed",
      "The request has no `Origin` header. Log in and out from a page of this server.",
    );
  }
}

/** Returns the path if it leads to a page of this server. Otherwise returns the path of the login page. */
function toLocalPath(to: string | undefined): string {
  return to !== undefined && /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]{0,1000}$/.test(to) ? to : loginPath;
}

function ignoreUnavailable(error: unknown): undefined {
  if (error instanceof ParaphError && error.code === "identity-unavailable") return undefined;
  throw error;
}

function renderUnavailablePage(): string {
  return renderLoginErrorPage(
    "Login unavailable",
    "The identity provider does not respond. Try again in a minute.",
  );
}
