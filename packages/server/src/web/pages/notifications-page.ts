import { pushScriptPath } from "../app/push-script.ts";
import { type Html, html, renderForeign } from "../html/html.ts";
import type { NotificationsPage } from "../page-data/settings-types.ts";
import { describeCount, renderDevicesSection } from "../sections/devices-section.ts";
import { renderSlackSection } from "../sections/slack-section.ts";
import { renderLayout } from "./layout.ts";

const pierceTexts = {
  high: "High and critical urgency",
  critical: "Critical urgency only",
  none: "Nothing",
} as const;

const timeZones = Intl.supportedValuesOf("timeZone").map((name) => html`<option value="${name}">`);

/** Renders the form of a person's notification preferences. */
export function renderNotificationsPage({
  reader,
  proof,
  settings,
  pushKey,
  fault,
  saved,
  slack,
}: NotificationsPage): string {
  const { available, channels, quiet } = settings;
  const devices = available.find((one) => one.devices)?.devices;
  const options = (Object.keys(pierceTexts) as (keyof typeof pierceTexts)[]).map(
    (value) =>
      html`<option value="${value}"${(quiet?.pierce ?? "high") === value && html` selected`}>${pierceTexts[value]}</option>`,
  );
  return renderLayout(
    "Notifications",
    reader,
    html`<main class="notice">
    <h1>Notifications</h1>
    ${saved && html`<p role="status"><strong>Saved.</strong></p>`}
    ${fault !== undefined && html`<div class="caution" role="alert"><p><strong>Not saved.</strong> ${renderForeign(fault)}</p></div>`}
    <form method="post" action="/notifications">
    <input type="hidden" name="proof" value="${proof}">
    <fieldset><legend>Channels</legend>
    ${available.length === 0 ? html`<p class="quiet">No channel is configured. Ask an administrator to add one.</p>` : available.map((one) => renderChannel(one.channel === "slack" ? { ...one, address: slack?.account?.accountName } : one, channels))}
    </fieldset>
    <fieldset><legend>Quiet hours</legend>
    <p class="quiet">Notices wait until these hours end. Leave both times empty for none.</p>
    <div class="field"><label for="from">From</label> <input id="from" name="from" value="${quiet?.from ?? ""}" type="time"></div>
    <div class="field"><label for="until">Until</label> <input id="until" name="until" value="${quiet?.until ?? ""}" type="time"></div>
    <div class="field"><label for="timeZone">Time zone</label> <input id="timeZone" name="timeZone" value="${quiet?.timeZone ?? ""}" placeholder="Europe/Berlin" maxlength="64" list="timeZones"><datalist id="timeZones">${timeZones}</datalist></div>
    <div class="field"><label for="pierce">Notify me during these hours about</label> <select id="pierce" name="pierce">${options}</select></div>
    </fieldset>
    <p><button>Save preferences</button></p></form>
    ${devices && renderDevicesSection(devices, proof, pushKey)}
    ${slack && renderSlackSection(slack)}
  </main>`,
    pushKey !== undefined ? pushScriptPath : undefined,
  );
}

function renderChannel(
  { channel, address, devices }: NotificationsPage["settings"]["available"][number],
  chosen: readonly string[] | undefined,
): Html {
  const isOn = chosen === undefined || chosen.includes(channel);
  const where = devices
    ? html`<span class="quiet">${describeCount(devices.length)}</span>`
    : address === undefined
      ? channel === "slack"
        ? html`<span class="quiet">no linked account</span>`
        : html`<span class="quiet">no address. Ask an administrator to add one.</span>`
      : html`<span class="quiet">${renderForeign(address)}</span>`;
  return html`<p><label><input type="checkbox" name="channel:${channel}" value="on"${isOn && html` checked`}> ${channel}</label> ${where}</p>`;
}
