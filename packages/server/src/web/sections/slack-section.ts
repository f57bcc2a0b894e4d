import { type Html, html, renderForeign } from "../html/html.ts";
import type { NotificationsPage } from "../page-data/settings-types.ts";

/** Renders the reader's Slack account, and a form that unlinks it. */
export function renderSlackSection({ account, proof }: NonNullable<NotificationsPage["slack"]>): Html {
  return html`<section id="slack"><h2>Slack</h2>${
    account
      ? html`<p><strong>${renderForeign(account.accountName)}</strong> <span class="quiet">in the workspace ${renderForeign(account.teamName)}</span></p>
    <form method="post" action="/slack/unlink"><input type="hidden" name="proof" value="${proof}"><p><button class="small">Unlink Slack account</button></p></form>`
      : html`<p class="quiet">No account is linked. To link one, open the app Paraph in Slack and send it a message.</p>`
  }</section>`;
}
