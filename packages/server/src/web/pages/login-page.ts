import type { Principal } from "@paraph/core";
import type { LoginLink } from "../../services/authentication.ts";
import { type Html, html } from "../html/html.ts";
import { renderTime } from "../html/time.ts";
import { renderLayout } from "./layout.ts";

/**
 * Renders the login page. Login pages have no scripts, fit a width of 320 pixels, and change nothing on a GET request.
 */
export function renderLoginPage(issuer: string | undefined, to: string): string {
  return renderPage(
    "Log in",
    issuer === undefined
      ? html`<p>You log in with a link. Ask the operator of the server for a new one (<code>paraph recover PERSON --login-only --reason TEXT</code>). On your own machine, <code>paraph dev</code> prints one when it is ready.</p>`
      : html`<p>You log in at <strong>${issuer}</strong> and then return to this page.</p>
<p><a class="button primary" href="/login/start?${new URLSearchParams({ to }).toString()}">Log in with ${issuer}</a></p>`,
  );
}

/** Renders the page of a person who is logged in: where to go next, and the logout at the end. */
export function renderLoggedInPage({ id, tenant }: Principal, hasConsole: boolean): string {
  return renderPage(
    "You are logged in",
    html`<p>User: <strong>${id}</strong>. Tenant: <strong>${tenant}</strong>.</p>
<p><a class="button primary" href="/approvals">View your approvals</a></p>
${hasConsole && html`<p><a class="button" href="/console/">Open the console</a></p>`}
<p><a href="/notifications">Notifications</a> · <a href="/passkeys">Passkeys</a></p>
<form method="post" action="/logout"><button class="plain">Log out</button></form>`,
    id,
  );
}

/**
 * Renders the page of a login link. Opening the link does not use it up, because link scanners may open it. The page
 * names the person only if the link works, because its holder can then log in as that person anyway.
 */
export function renderLinkPage(token: string, link: LoginLink | undefined): string {
  return renderPage(
    "Log in",
    html`${
      link === undefined
        ? html`<p>A login link works once, until it expires. The link of an invitation works only after the invitation is approved.</p>`
        : html`<p>User: <strong>${link.principal}</strong>. Tenant: <strong>${link.tenant}</strong>.</p>
<p>This link works once, until ${renderTime(link.expiresAt)}.</p>`
    }
<form method="post" action="/login/local"><input type="hidden" name="token" value="${token}"><button class="primary">Log in</button></form>`,
  );
}

/** Renders the page of a failed login. */
export function renderLoginErrorPage(title: string, sentence: string): string {
  return renderPage(title, html`<p>${sentence}</p><p><a href="/login">Log in again</a></p>`);
}

function renderPage(title: string, body: Html, reader?: string): string {
  return renderLayout(title, reader, html`<main class="notice login"><h1>${title}</h1>${body}</main>`);
}
