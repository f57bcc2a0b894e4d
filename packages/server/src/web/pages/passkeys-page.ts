import { type Html, html, renderForeign } from "../html/html.ts";
import { passkeyScriptPath } from "../html/passkey-script.ts";
import { renderTime } from "../html/time.ts";
import type { PasskeysPage } from "../page-data/settings-types.ts";
import { renderLayout } from "./layout.ts";

/** Renders a person's passkeys, and the form that enrols another one. */
export function renderPasskeysPage(page: PasskeysPage): string {
  const { reader, passkeys, fault } = page;
  return renderLayout(
    "Passkeys",
    reader,
    html`<main class="notice">
    <h1>Passkeys</h1>
    <p>Some approvals need a passkey: a security key, or the fingerprint, face or PIN of your device.</p>
    ${fault !== undefined && html`<div class="caution" role="alert"><p><strong>Not enrolled.</strong> ${renderForeign(fault)}</p></div>`}
    ${passkeys.length === 0 ? html`<p class="quiet">You have no passkey.</p>` : html`<ul class="plain">${passkeys.map((one) => renderPasskey(one, page))}</ul>`}
    ${renderEnrolment(page)}
  </main>`,
    passkeyScriptPath,
  );
}

function renderPasskey(
  { credential, label, fingerprint, createdAt, usedAt }: PasskeysPage["passkeys"][number],
  { proof }: PasskeysPage,
): Html {
  return html`<li class="card"><h2>${renderForeign(label)}</h2>
    <p class="quiet">Key fingerprint <code>${fingerprint}</code>. Enrolled ${renderTime(createdAt)}. ${usedAt === undefined ? "Not used yet." : html`Last used ${renderTime(usedAt)}.`}</p>
    <form method="post" action="/passkeys/remove"><input type="hidden" name="proof" value="${proof}"><input type="hidden" name="credential" value="${credential}">
    <p><button class="small">Remove passkey</button></p></form></li>`;
}

function renderEnrolment({ proof, enrolment }: PasskeysPage): Html {
  if (!enrolment)
    return html`<p class="quiet">Browsers offer passkeys only for host names, and Paraph is reached at an IP address. Ask an operator to set <code>identity.url</code>.</p>`;
  return html`<h2>Enrol a passkey</h2>
    <p>The passkey works once the enrolment is approved. If you are the only person, you confirm it yourself.</p>
    <form method="post" action="/passkeys" data-options="${JSON.stringify(enrolment)}">
    <input type="hidden" name="proof" value="${proof}">
    <div class="field"><label for="label">Name of the passkey</label> <input id="label" name="label" maxlength="64" required placeholder="YubiKey on my key ring"></div>
    <p><button data-passkey="enrol">Enrol passkey</button></p>
    <p role="status" data-passkey-status></p>
    <noscript><p>Passkeys need JavaScript.</p></noscript></form>`;
}
