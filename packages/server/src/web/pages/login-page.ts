import type { Principal } from "@paraph/core";
import type { LoginLink } from "../../services/authentication.ts";
import { appLinks } from "../app/manifest.ts";
import { type Html, html } from "../html/html.ts";
import { renderTime } from "../html/time.ts";

/**
 * Renders the login page. Login pages have no scripts, fit a width of 320 pixels, and change nothing on a GET request.
 */
export function renderLoginPage(issuer: string | undefined, to: string): string {
  return renderPage(
    "Log in",
    issuer === undefined
      ? html`<p>You log in with a link. Ask the operator of the server for a new one (<code>paraph recover PERSON --login-only --reason TEXT</code>). On your own machine, <code>paraph dev</code> prints one when it is ready.</p>`
      : html`<p>You log in at <strong>${issuer}</strong> and then return to this page.</p>
<p><a class="button" href="/login/start?${new URLSearchParams({ to }).toString()}">Log in with ${issuer}</a></p>`,
  );
}

/** Renders the page of a person who is logged in: where to go next, with the logout out of the way in the header. */
export function renderLoggedInPage({ id, tenant }: Principal, hasConsole: boolean): string {
  return renderPage(
    "You are logged in",
    html`<p>User: <strong>${id}</strong>. Tenant: <strong>${tenant}</strong>.</p>
<p><a class="button" href="/approvals">View your approvals</a></p>
${hasConsole && html`<p><a class="button second" href="/console/">Open the console</a></p>`}
<p><a href="/notifications">Notifications</a> · <a href="/passkeys">Passkeys</a></p>`,
    html`<form method="post" action="/logout"><button class="plain">Log out</button></form>`,
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
<form method="post" action="/login/local"><input type="hidden" name="token" value="${token}"><button>Log in</button></form>`,
  );
}

/** Renders the page of a failed login. */
export function renderLoginErrorPage(title: string, sentence: string): string {
  return renderPage(title, html`<p>${sentence}</p><p><a href="/login">Log in again</a></p>`);
}

function renderPage(title: string, body: Html, action?: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Paraph</title>
<link rel="stylesheet" href="/login.css">
${appLinks}
</head>
<body>
<main>
<header><p class="brand">Paraph</p>${action}</header>
<h1>${title}</h1>
${body}
</main>
</body>
</html>`.text;
}

/** The stylesheet of the login pages. */
export const loginStylesheet = `
:root { color-scheme: light dark; --page: #fdfdfb; --line: #deded6; --text: #1d1f21; --quiet: #5d625f; --key: #1d5c4d; --on-key: #fff; }
@media (prefers-color-scheme: dark) {
  :root { --page: #141716; --line: #343a38; --text: #e6e8e4; --quiet: #9da5a1; --key: #7fd1bb; --on-key: #10211c; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", sans-serif; overflow-wrap: anywhere; }
main { max-width: 26rem; margin: 0 auto; padding: 12vh 1rem 2rem; }
header { display: flex; justify-content: space-between; align-items: center; gap: 1rem; min-height: 2.75rem; }
.brand { margin: 0; color: var(--quiet); }
h1 { margin: 0 0 1rem; font-size: 1.6rem; line-height: 1.2; }
a { color: var(--key); }
button, .button {
  display: block; width: 100%; min-height: 3rem; padding: .7rem 1rem; border: 1px solid var(--key); border-radius: .4rem;
  background: var(--key); color: var(--on-key); font: inherit; font-weight: 600; text-align: center; text-decoration: none; cursor: pointer;
}
.button.second { background: none; color: var(--key); }
button.plain {
  display: inline; width: auto; min-height: 2.75rem; padding: 0 .25rem; border: 0; background: none; color: var(--quiet);
  font-weight: 400; text-decoration: underline; text-underline-offset: .15em;
}
button:focus-visible, a:focus-visible { outline: 2px solid var(--text); outline-offset: 2px; }
`;
