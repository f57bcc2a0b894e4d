import { type Html, html } from "../html/html.ts";
import { renderTime } from "../html/time.ts";
import type { PageDevice } from "../page-data/settings-types.ts";

/**
 * Renders the reader's devices for push notifications, and a form that adds this one. The page's script shows the form
 * where the browser can subscribe.
 */
export function renderDevicesSection(
  devices: readonly PageDevice[],
  proof: string,
  pushKey: string | undefined,
): Html {
  return html`<section id="devices" class="devices"><h2>Push notifications</h2>
    ${devices.length > 0 && html`<ul class="plain">${devices.map((device) => renderDevice(device, proof))}</ul>`}
    ${
      pushKey === undefined
        ? html`<p class="quiet">Push is not available, because this server has no valid key for it. Ask an administrator.</p>`
        : html`<p id="push-note" class="quiet" role="status">To add this device, allow JavaScript on this page.</p>
    <form id="add-device" method="post" action="/notifications/devices" data-key="${pushKey}" hidden>
    <input type="hidden" name="proof" value="${proof}"><input type="hidden" name="endpoint"><input type="hidden" name="p256dh"><input type="hidden" name="auth">
    <p><button>Turn on push for this device</button></p></form>`
    }
    </section>`;
}

/** Formats a number of devices. */
export function describeCount(devices: number): string {
  if (devices === 0) return "no device yet";
  return `${devices} ${devices === 1 ? "device" : "devices"}`;
}

function renderDevice({ id, name, addedAt, usedAt }: PageDevice, proof: string): Html {
  return html`<li id="${id}"><div><strong>${name}</strong> <span class="here" hidden>(this device)</span>
    <p class="quiet">Added ${renderTime(Date.parse(addedAt))}. ${usedAt === undefined ? "Not used yet." : html`Last used ${renderTime(Date.parse(usedAt))}.`}</p></div>
    <form method="post" action="/notifications/devices/remove"><input type="hidden" name="proof" value="${proof}"><input type="hidden" name="device" value="${id}"><button class="small" aria-label="Remove ${name}">Remove</button></form></li>`;
}
