import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasBrowser, launchBrowser } from "../../../../test/support/web/browser.ts";
import { addAuthenticator } from "../../../../test/support/web/virtual-authenticator.ts";
import { PasskeyServer } from "./testing/passkey-server.ts";

describe.runIf(hasBrowser)("with a virtual authenticator in Chromium", () => {
  const server = new PasskeyServer();
  let browser: Browser;
  beforeAll(async () => {
    await server.start();
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await server.stop();
  });

  /** Opens a browser of this person, and returns a function that lets its authenticator verify the user or fail. */
  async function openAs(person: string) {
    const context = await browser.newContext();
    const url = server.service.publicUrl.replace("http:", "https:");
    await context.addCookies([{ name: "__Host-paraph", value: person, url, secure: true, httpOnly: true }]);
    const page = await context.newPage();
    const setUserVerified = await addAuthenticator(page);
    return { context, page, setUserVerified };
  }
  const go = (page: Page, path: string) => page.goto(server.service.publicUrl + path);

  it("[TRUST 27] a person enrols a passkey, another approves it, and only a verified user approves with it", async () => {
    const { context, page, setUserVerified } = await openAs("bo");
    await go(page, "/passkeys");
    await page.getByLabel("Name of the passkey").fill("laptop");
    await page.getByRole("button", { name: "Enrol passkey" }).click();
    await page.waitForURL("**/approvals/*");
    const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
    const { digest } = (await server.get(`/v1/approvals/${id}`, "ana")).body;
    await server.post(`/v1/approvals/${id}/decision`, "ana", { decision: "approve", digest });
    await expect.poll(() => server.service.passkeyStore.list("acme", "bo")).toHaveLength(1);

    const { approval, call } = await server.ask("front");
    await setUserVerified(false);
    await go(page, `/approvals/${approval}`);
    const button = page.getByRole("button", { name: "Approve with passkey" });
    await button.click();
    await page.getByText("Nothing was sent.").waitFor();
    expect((await server.get(`/v1/approvals/${approval}`, "bo")).body.status).toBe("open");

    await setUserVerified(true);
    await button.click();
    await page.getByText("Approved by bo.").waitFor();
    const { body } = await server.get(`/v1/calls/${call}`, "bot", { prefer: "wait=60" });
    expect([body.outcome.kind, server.opened]).toEqual(["succeeded", ["front"]]);
    await context.close();
  });
});
