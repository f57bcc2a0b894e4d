import { createECDH } from "node:crypto";
import axe from "axe-core";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasBrowser, launchBrowser } from "../../../../test/support/web/browser.ts";
import { TestServer } from "../http/testing/server.ts";

describe.runIf(hasBrowser)("push in a browser", () => {
  const server = new TestServer();
  let browser: Browser;
  beforeAll(async () => {
    await server.start();
    browser = await launchBrowser({ needsPush: true });
  });
  afterAll(async () => {
    await browser?.close();
    await server.stop();
  });

  it("[TRUST 2, 22] a person adds the device; its worker shows a notice in place of the earlier one, and opens only approvals", async () => {
    const origin = server.http.url;
    await using context = await browser.newContext({ permissions: ["notifications"] });
    const url = origin.replace("http:", "https:");
    await context.addCookies([{ name: "__Host-paraph", value: "ana", url, secure: true, httpOnly: true }]);
    const keys = { p256dh: createECDH("prime256v1").generateKeys("base64url"), auth: "A".repeat(22) };
    const given = { endpoint: "https://push.example.com/1", keys };
    // The browser's own push service is on the Internet.
    await context.addInitScript(
      `PushManager.prototype.subscribe = async () => ({ toJSON: () => (${JSON.stringify(given)}) })`,
    );
    const page = await context.newPage();
    const cdp = await context.newCDPSession(page);
    const registered = Promise.withResolvers<string>();
    cdp.on("ServiceWorker.workerRegistrationUpdated", ({ registrations: [first] }) => {
      if (first) registered.resolve(first.registrationId);
    });
    await cdp.send("ServiceWorker.enable");
    await page.goto(`${origin}/notifications`);
    await page.getByRole("button", { name: "Turn on push for this device" }).click();
    await page.getByRole("button", { name: /^Remove / }).waitFor();
    await page.evaluate(axe.source);
    expect(await page.evaluate("axe.run().then(({ violations }) => violations.map(({ id }) => id))")).toEqual(
      [],
    );

    const registrationId = await registered.promise;
    const deliver = async (data: object | string) => {
      const text = typeof data === "string" ? data : JSON.stringify(data);
      await cdp.send("ServiceWorker.deliverPushMessage", { origin, registrationId, data: text });
    };
    const listShown = () =>
      page.evaluate(`navigator.serviceWorker.ready.then((it) => it.getNotifications()).then((all) =>
        all.map(({ title, body, tag, data, actions }) => ({ title, body, tag, path: data.path, actions })))`);
    const request = {
      kind: "request",
      headline: "Refund €3,000.00 to Jon Ash",
      requester: "bot",
      expiresAt: Date.now() + 3_599_000,
      path: "/approvals/ask_1",
      tag: "t1",
    };
    const shown = { title: request.headline, tag: "t1", path: request.path, actions: [] };
    // On a busy machine, the browser's debugger may drop a message while the worker starts, and Chromium closes a notice
    // after 25 seconds. Each check therefore repeats its messages. A repeated message with a tag replaces its earlier
    // notice.
    const expectShown = (...messages: (object | string)[]) =>
      expect.poll(
        async () => {
          for (const message of messages) await deliver(message);
          return listShown();
        },
        { interval: 500 },
      );
    await expectShown(request).toEqual([
      { ...shown, body: expect.stringMatching(/^Requested by bot · \d+ min left$/) },
    ]);
    const outcome = { ...request, kind: "outcome", expiresAt: undefined, text: "Denied by bo." };
    const shownOutcome = { ...shown, body: "Requested by bot · Denied by bo." };
    await expectShown(outcome).toEqual([shownOutcome]);
    const unreadable = { title: "Open your approvals", body: "", tag: "", path: "/approvals", actions: [] };
    await expectShown(outcome, "not JSON").toEqual(expect.arrayContaining([shownOutcome, unreadable]));

    const [worker] = context.serviceWorkers();
    for (const path of ["https://evil.example", "//evil.example", "/logout", "/approvals/../logout", 7])
      expect(await worker!.evaluate(`toPath(${JSON.stringify(path)})`)).toBe("/approvals");
    expect(await worker!.evaluate("toPath('/approvals/ask_1')")).toBe("/approvals/ask_1");
    expect(await worker!.evaluate("caches.keys()")).toEqual([]);
  });
});
