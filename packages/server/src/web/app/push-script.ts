import { sha256Hex } from "@paraph/core";

/**
 * The script of the page `/notifications`. It subscribes the browser and posts the subscription with the page's own
 * form. The rest of the page works without it.
 */
export const pushScript = `"use strict";

const form = document.getElementById("add-device");
const note = document.getElementById("push-note");
if (form) start();

async function start() {
  if (!("serviceWorker" in navigator) || !("PushManager" in window)) {
    return tell("This browser has no push notifications. On an iPhone or iPad, add Paraph to the home screen and open it there.");
  }
  if (Notification.permission === "denied") return tell("This browser blocks notifications of this site. Allow them in its settings.");
  const registration = await navigator.serviceWorker.getRegistration("/");
  const subscription = await registration?.pushManager.getSubscription();
  const own = subscription && hasCurrentKey(subscription) && (await findDevice(subscription.endpoint));
  if (own) return showOwn(own, subscription);
  tell("");
  form.hidden = false;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    form.querySelector("button").disabled = true;
    addDevice().catch(() => {
      form.querySelector("button").disabled = false;
      tell("The browser could not subscribe to its push service. Check the connection, then try again.");
    });
  });
}

async function addDevice() {
  if ((await Notification.requestPermission()) !== "granted") {
    form.hidden = true;
    return tell("You did not allow notifications. Allow them in the settings of the browser, then reload this page.");
  }
  await navigator.serviceWorker.register("/service-worker.js", { scope: "/", updateViaCache: "none" });
  const { pushManager } = await navigator.serviceWorker.ready;
  const old = await pushManager.getSubscription();
  if (old && !hasCurrentKey(old)) await old.unsubscribe();
  const subscription = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: form.dataset.key });
  const { endpoint, keys } = subscription.toJSON();
  form.elements.endpoint.value = endpoint;
  form.elements.p256dh.value = keys.p256dh;
  form.elements.auth.value = keys.auth;
  form.submit();
}

/** Marks this device in the list, and ends its subscription when it is removed. */
function showOwn(own, subscription) {
  tell("Push notifications are on for this device.");
  own.querySelector(".here").hidden = false;
  const removal = own.querySelector("form");
  removal.addEventListener("submit", (event) => {
    event.preventDefault();
    subscription.unsubscribe().catch(() => {}).finally(() => removal.submit());
  });
}

/** A subscription to an earlier key of this server receives nothing. */
function hasCurrentKey({ options }) {
  const bytes = String.fromCharCode(...new Uint8Array(options.applicationServerKey));
  return btoa(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "") === form.dataset.key;
}

async function findDevice(endpoint) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(endpoint)));
  const hex = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return document.getElementById("device_" + hex.slice(0, 32));
}

function tell(text) {
  note.textContent = text;
}
`;

/** The address of the script. It contains a digest of the text, so that browsers can cache each version without limit. */
export const pushScriptPath = `/push.js?${sha256Hex(pushScript).slice(0, 12)}`;
