/**
 * [TRUST 2] The service worker. It shows push messages, and a tap opens the page of the request. No button of a
 * notification decides. The worker has no `fetch` handler and stores nothing, so that a page is never out of date.
 */
export const serviceWorker = `"use strict";

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("push", (event) => {
  const { headline, tag, kind, path, ...message } = readMessage(event.data);
  event.waitUntil(
    self.registration.showNotification(headline, {
      body: describe(kind, message),
      tag,
      // A reminder alerts again. An outcome quietly replaces the request.
      renotify: tag !== "" && kind !== "outcome",
      icon: "/icons/icon-192.png",
      data: { path },
    }),
  );
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(openPage(toPath(event.notification.data?.path)));
});

/** Browsers require a notification for every message, also for one that the worker cannot read. */
function readMessage(data) {
  let given = {};
  try {
    given = data?.json() ?? {};
  } catch {}
  const text = (value) => (typeof value === "string" ? value : "");
  return {
    kind: text(given.kind),
    headline: text(given.headline) || "Open your approvals",
    requester: text(given.requester),
    text: text(given.text),
    expiresAt: Number(given.expiresAt) || 0,
    path: toPath(given.path),
    tag: text(given.tag),
  };
}

function describe(kind, { requester, text, expiresAt }) {
  const start = { reminder: "Reminder", escalation: "Escalated" }[kind];
  const left = expiresAt > 0 && describeTimeLeft(expiresAt - Date.now());
  return [start, requester && "Requested by " + requester, left, text].filter(Boolean).join(" \\u00b7 ");
}

function describeTimeLeft(ms) {
  const minutes = Math.floor(ms / 60000);
  if (minutes < 0) return "expired";
  if (minutes < 1) return "less than a minute left";
  if (minutes < 60) return minutes + " min left";
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? hours + " h " + (minutes % 60) + " min left" : Math.floor(hours / 24) + " days left";
}

/** Returns the path if it is a page of approvals on this server. Otherwise returns the inbox. */
function toPath(path) {
  return typeof path === "string" && /^\\/approvals\\/[A-Za-z0-9_-]{1,100}$/.test(path) ? path : "/approvals";
}

async function openPage(path) {
  const href = new URL(path, self.location.origin).href;
  const open = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const shown = open.find(({ url }) => url.split(/[?#]/)[0] === href);
  return shown ? shown.focus() : self.clients.openWindow(href);
}
`;
