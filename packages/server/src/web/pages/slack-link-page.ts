import { html, renderForeign } from "../html/html.ts";
import type { SlackLinkPage } from "../page-data/settings-types.ts";
import { renderLayout } from "./layout.ts";

/** Renders the question whether a Slack account belongs to the reader. */
export function renderSlackLinkPage({
  reader,
  proof,
  invitation,
  teamName,
  accountName,
}: SlackLinkPage): string {
  return renderLayout(
    "Link a Slack account",
    reader,
    html`<main class="notice">
    <h1>Link this Slack account to ${reader}?</h1>
    <p><strong>${renderForeign(accountName)}</strong> in the workspace <strong>${renderForeign(teamName)}</strong></p>
    <p>With this account, you decide in Slack. Link it only if it is yours, and if you pressed a button in Slack just now.</p>
    <p class="quiet">Another person approves the link before it works.</p>
    <form method="post" action="/slack/link"><input type="hidden" name="proof" value="${proof}"><input type="hidden" name="invitation" value="${invitation}">
    <p><button>Link account</button> <a class="button plain" href="/approvals">Cancel</a></p></form></main>`,
  );
}
